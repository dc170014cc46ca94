"""Prints the heated plates of `kept` beside the similarity solution and the correlations; not yet rows of a page."""
import math
import sys
sys.dont_write_bytecode = True
from rows import PRANDTL, MACH, WALL, HERE, Laminar, between, series
K=HERE/'kept'
a=Laminar(None); w=Laminar(WALL)
C0=math.sqrt(2)*w.shear; S0=w.flux/math.sqrt(2)/(a.wall-w.wall)
print('similarity Cf sqrtRe %.5f St sqrtRe %.5f RAF %.5f'%(C0,S0,2*S0/C0))
cp=3.5/(1.4*MACH**2)
def get(n):
    s=series(K/f'{n}-plate.csv'); return sorted(zip(s('x'),s('tau'),s('heat_flux'),s('y_plus')))
for n in ('laminar0','laminar1','laminar2'):
    r=get(n); x,t,q,y=zip(*r)
    c=series(K/f'{n}-convergence.csv')
    print(n,len(x),'steps',c('iteration')[-1],c('density')[-1]/max(c('density')))
    for at in (0.25,0.5,1.0,1.5):
        re=1e5*at; cf=2*between(x,t,at); st=between(x,q,at)/(cp*(a.wall-WALL))
        print('  x',at,'Cf/exact %.4f St/exact %.4f'%(cf*math.sqrt(re)/C0, st*math.sqrt(re)/S0))
taw=1+PRANDTL**(1/3)*0.2*MACH**2
for n in ('sa1','sa2','sst-1','k-omega-1'):
    r=get(n); x,t,q,y=zip(*r); c=series(K/f'{n}-convergence.csv')
    print(n,len(x),'steps',c('iteration')[-1],c('density')[-1]/max(c('density')),'y+ at 1: %.2f'%between(x,y,1.0))
    for at in (0.5,0.970084,1.5):
        re=5e6*at; cf=2*between(x,t,at); st=between(x,q,at)/(cp*(taw-WALL))
        kc=0.0287*PRANDTL**-0.4*re**-0.2; white=0.455/math.log(0.06*re)**2
        pr=PRANDTL/0.9; P=9.24*(pr**.75-1)*(1+.28*math.exp(-.007*pr)); jay=1/(0.9*(1+P*math.sqrt(cf/2)))
        print('  x', at, 'Cf %.6f (White %.6f, 0.0574Re^-.2 %.6f) '
              'St %.7f KC %.7f ratio %.4f RAF %.4f KC %.4f Jay %.4f'%(cf,white,.0574*re**-.2,st,kc,st/kc,2*st/cf,PRANDTL**-0.4,jay))
