use nalgebra::DMatrix;
use super::basis::*; use super::kind::*; use super::nodes::*;

fn eq_point(kind: ElementKind, order: usize, at:[usize;3]) -> [f64;3] {
    let p = order as f64; let k = at[2] as f64/p; let _ = kind;
    [ -(1.0-k) + 2.0*at[0] as f64/p, -(1.0-k)+2.0*at[1] as f64/p, k]
}
fn targets(dense: bool) -> Vec<[f64;3]> { let kind=ElementKind::Pyramid;
    let mut t = nodes(kind,6); t.extend(quadrature(kind, if dense {15} else {9}).into_iter().map(|x|x.0)); t }
fn lebesgue(order:usize, pts:&[[f64;3]], tm:&DMatrix<f64>) -> f64 {
    let kind=ElementKind::Pyramid; let n=pts.len();
    let m: Vec<_> = pts.iter().map(|&x| modes(kind,order,x)).collect();
    let v = DMatrix::from_fn(n,n,|i,j| m[i][j].0);
    let Some(inv)=v.try_inverse() else {return 1e9};
    let l = tm*inv; l.row_iter().map(|r| r.iter().map(|x|x.abs()).sum::<f64>()).fold(0.0,f64::max)
}
fn tmat(order:usize,t:&[[f64;3]])->DMatrix<f64>{ let m:Vec<_>=t.iter().map(|&x|modes(ElementKind::Pyramid,order,x)).collect(); DMatrix::from_fn(t.len(),m[0].len(),|i,j|m[i][j].0)}
#[test]
fn trial() {
    let kind=ElementKind::Pyramid;
    for order in 3..=6 {
        let base=nodes(kind,order); let lat=kind.lattice(order); let n=base.len();
        let tm=tmat(order,&targets(true)); let tmc=tmat(order,&targets(false));
        let mut boundary=vec![false;n];
        for f in 0..5 { for i in kind.face_indices(f,order) { boundary[i]=true; } }
        let eq: Vec<_>=lat.iter().map(|&a| eq_point(kind,order,a)).collect();
        let m: Vec<_> = eq.iter().map(|&x| modes(kind,order,x)).collect();
        let v = DMatrix::from_fn(n,n,|i,j| m[i][j].0); let inv=v.try_inverse().unwrap();
        let mut k=DMatrix::zeros(n,n);
        for (x,w) in quadrature(kind,order+2) { let g=modes(kind,order,x); for i in 0..n {for j in 0..n { k[(i,j)]+=w*(0..3).map(|d|g[i].1[d]*g[j].1[d]).sum::<f64>(); }}}
        let k=inv.tr_mul(&k)*&inv;
        let int: Vec<usize>=(0..n).filter(|&i|!boundary[i]).collect();
        let bnd: Vec<usize>=(0..n).filter(|&i|boundary[i]).collect();
        let kii=DMatrix::from_fn(int.len(),int.len(),|i,j|k[(int[i],int[j])]);
        let kib=DMatrix::from_fn(int.len(),bnd.len(),|i,j|k[(int[i],bnd[j])]);
        let ub=DMatrix::from_fn(bnd.len(),3,|i,d|base[bnd[i]][d]-eq[bnd[i]][d]);
        let ui=kii.lu().solve(&(-kib*ub)).unwrap();
        let mut h=base.clone();
        for (r,&i) in int.iter().enumerate(){ for d in 0..3 {h[i][d]=eq[i][d]+ui[(r,d)];}}
        println!("order {order}: coons {:.3} harmonic {:.3} equispaced-int {:.3}", lebesgue(order,&base,&tm), lebesgue(order,&h,&tm), {let mut q=base.clone(); for &i in &int{q[i]=eq[i];} lebesgue(order,&q,&tm)});
        // coordinate descent over symmetric classes
        // class: (k, min(i,m-i), min(j,m-j)) sorted
        let mut best=h.clone(); let mut val=lebesgue(order,&best,if order<6 {&tm} else {&tmc});
        let mut classes: Vec<[usize;3]>=int.iter().map(|&q|{let [i,j,k]=lat[q];let m=order-k;let a=i.min(m-i);let b=j.min(m-j);[k,a.min(b),a.max(b)]}).collect(); classes.sort(); classes.dedup();
        let mut step=0.05;
        while step>0.0002 {
            let mut improved=false;
            for c in &classes { for dir in 0..3 { for s in [1.0,-1.0] {
                let mut t=best.clone();
                for &q in &int { let [i,j,k]=lat[q];let m=order-k;let a=i.min(m-i);let b=j.min(m-j);
                    if [k,a.min(b),a.max(b)]!=*c {continue;}
                    if dir==2 { t[q][2]+=s*step; } else {
                        // dir 0 moves the coordinate farther out, dir 1 the nearer one
                        let far=if a<b {0} else {1}; 
                        let axes: Vec<usize> = if a==b { if dir==1 {continue} vec![0,1] } else if dir==0 {vec![far]} else {vec![1-far]};
                        for ax in axes { let idx=[i,j][ax]; if 2*idx==m {continue;} t[q][ax]+= s*step*if 2*idx>m {1.0} else {-1.0}; }
                    } }
                let vv=lebesgue(order,&t,if order<6 {&tm} else {&tmc}); if vv<val-1e-6 {val=vv;best=t;improved=true;}
            }}}
            if !improved {step*=0.5;}
        }
        println!("   optimised {:.3}", lebesgue(order,&best,&tm));
        for q in [&base,&h,&best] { let m: Vec<_> = q.iter().map(|&x| modes(kind,order,x)).collect();
          let v = DMatrix::from_fn(n,n,|i,j| m[i][j].0); let inv=v.try_inverse().unwrap();
          let w: Vec<f64>=inv.row(0).iter().map(|c|c*(4f64/3.0).sqrt()).collect(); println!("   min weight {:.2e} apex {:.2e} interior min {:.2e}", w.iter().fold(1.0,|a:f64,&b|a.min(b)), w[n-1], int.iter().map(|&i|w[i]).fold(1.0,f64::min)); }
        for c in &classes { for &q in &int { let [i,j,k]=lat[q]; if [k,i,j]==*c { println!("   {c:?} coons {:.4?} harm {:.4?} opt {:.4?}", base[q], h[q], best[q]); } } }
    }
}
