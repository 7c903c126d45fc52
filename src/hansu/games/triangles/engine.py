import time
from dataclasses import dataclass, field
from typing import Any, ClassVar
import numpy as np
from hansu.core import *
from hansu.core.control import *
from hansu.games.triangles.desk import *
from hansu.games.triangles.search import *
from hansu.games.triangles.plan import plan
from hansu.games.triangles.rule import report_move,new_work
@dataclass
class Engine(Player):
    kind: ClassVar[str] = "engine"
    about: ClassVar[str] = "x"
    exm: int = option(22,"x")
    share: float = option(0.4,"x")
    hab: int = option(2,"x")
    pre: int = option(4,"x")
    _memory: Any = field(default=None, init=False, repr=False, compare=False)
    _names: Any = field(default=None, init=False, repr=False, compare=False)
    def new_game(self): self._memory=self._names=None
    def run(self, f, net, desk, plan, order, control, words, lead):
        best=None; info=(0,None,False)
        for depth in plan:
            words[EVALUATIONS]=0
            low=-INFINITY; values={}; cur=None
            for i,e in enumerate(order):
                g=UNIT*draw(net,desk,e)
                if i==0: v=g-f(depth-1,-INFINITY,INFINITY)
                else:
                    v=g-f(depth-1,g-low-1,g-low)
                    if v>low: v=g-f(depth-1,-INFINITY,g-low)
                take_back(net,desk,e)
                if control.stopped: break
                values[e]=v
                if v>low: low=v; cur=e
            if cur is not None: best=cur
            if control.stopped: break
            info=(depth,low,words[EVALUATIONS]==0)
            order.sort(key=lambda e:(e!=best,-values[e]))
            if words[EVALUATIONS]==0: break
        return best,info
    def models(self, position):
        me=position.mover; miss=[0,0]
        way=[]; at=position
        while at.previous is not None: way.append(at); at=at.previous
        net,desk=desk_of(at.state); work=new_work(net)
        for p in reversed(way):
            if p.previous.mover!=me:
                for c in (0,1): miss[c]+= report_move(net,desk,bool(c),work)!=p.last
            draw(net,desk,p.last)
        return miss
    def decide(self, position, limit=None, control=None):
        limit, control = limit or Limit(), control or Control()
        t0=time.perf_counter()
        memory = self._memory = self._memory or new_memory(1<<20)
        names = self._names = self._names or new_names(1<<18)
        net, desk = desk_of(position.state)
        left=int(net.totals[0]-desk.facts[COUNT])
        T=limit.time
        c1=Control(); w=c1.words
        lead=position.state.lead*(1 if position.mover==0 else -1)*UNIT
        order=sorted(ring(net,desk), key=lambda e:-(8*desk.gain[e]-desk.risk[e]))
        with c1.deadline(T*self.share):
            pl=[*range(1,self.pre),200] if left<=self.exm else range(1,200)
            best,info=self.run(lambda d,a,b: search(net,desk,d,a,b,1,memory,names,w),net,desk,pl,list(order),c1,w,lead)
        self.depth,self.value,self.proved=info
        best=best if best is not None else order[0]
        self.note=''
        if self.proved and lead+self.value>0 or self.hab==0: return Decision(best)
        miss=self.models(position)
        if min(miss)>2: self.note='no model'; return Decision(best)
        c2=Control(); w2=c2.words
        n=len(net.on_hull)
        lines=np.zeros((2,n+2),np.int64)
        with c2.deadline(T-(time.perf_counter()-t0)):
            v=plan(net,desk,bool(miss[1]<miss[0]),1-position.state.lead*(1 if position.mover==0 else -1),np.zeros(n),np.zeros(n),lines,new_work(net),np.ones(1,np.int64),w2)
        self.note=f'{miss} plan {v} nodes {w2[1]}'
        v=v*UNIT
        if lead+v>0 or (self.proved and v>=self.value): best=int(lines[0,1]); self.note+=' used'
        return Decision(best)
