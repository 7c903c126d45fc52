import time
from dataclasses import dataclass, field
from typing import Any, ClassVar
from hansu.core import *
from hansu.core.control import *
from hansu.games.triangles.desk import *
from hansu.games.triangles.search import *
from hansu.games.triangles.traps import *
from hansu.games.triangles.rule import ring
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
    def habit(self, position, net0):
        # does the opponent always take?
        me=position.mover; takes=True
        way=[]; at=position
        while at.previous is not None: way.append(at); at=at.previous
        net,desk=desk_of(at.state)
        n=0
        for p in reversed(way):
            if p.previous.mover!=me:
                r=ring(net,desk); m=max(int(desk.gain[e]) for e in r)
                if m>0:
                    n+=1
                    if desk.gain[p.last]<m: takes=False
            draw(net,desk,p.last)
        return 1 if takes and n>=2 else 2
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
            plan=[*range(1,self.pre),200] if left<=self.exm else range(1,200)
            best,info=self.run(lambda d,a,b: search(net,desk,d,a,b,1,memory,names,w),net,desk,plan,list(order),c1,w,lead)
        self.depth,self.value,self.proved=info
        best=best if best is not None else order[0]
        self.note=''
        if self.proved and lead+self.value>0 or self.hab==0: return Decision(best)
        habit=self.habit(position,net) if self.hab==2 else self.hab
        c2=Control(); w2=c2.words
        with c2.deadline(T-(time.perf_counter()-t0)):
            order.sort(key=lambda e:e!=best)
            tb,ti=self.run(lambda d,a,b: trap(net,desk,d,a,b,1,habit,False,memory,w2),net,desk,range(1,200),order,c2,w2,lead)
        self.note=f'trap {habit} {ti}'
        if ti[2]:
            mine=self.value+lead if self.proved else None
            if ti[1]+lead>0 or (self.proved and lead+self.value<0): best=tb; self.proved=True; self.note+=' used'
        elif tb is not None and left%2==0 and not self.proved: best=tb; self.note+=' unproved'
        return Decision(best)
