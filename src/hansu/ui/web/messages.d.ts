// The messages of messages.py, written by scripts/web_types.py. Do not edit.

export type Words = Record<string, string>; // a text by language

export interface Analyse {
  id?: number | null;
  type: "analyse";
  player: string;
  seconds?: number;
  depth?: number | null;
}

export interface AnalysisReply {
  re: number | null;
  type: "analysis";
  ply: number;
  found: Report;
  ended: "finished" | "stopped" | "time";
}

export interface Arrange {
  id?: number | null;
  type: "arrange";
  letters: string;
  mover?: 0 | 1;
}

export interface ArrangeReply {
  re: number | null;
  type: "arranged";
  text: string;
}

export interface Auto {
  id?: number | null;
  type: "auto";
  on: boolean;
  pace?: number | null;
}

export interface Choice {
  action: number;
  move: string;
  touch: Array<[number, number]>;
  key: "left" | "right" | "up" | "down" | "stop" | null;
}

export interface Compiling {
  re: number | null;
  type: "compiling";
  what: Record<string, string>;
  share: number | null;
}

export interface Edit {
  id?: number | null;
  type: "edit";
}

export interface Ending {
  text: Record<string, string>;
  winner: 0 | 1 | null;
  score: number | null;
  how: "played" | "resigned" | "time" | "too_long";
}

export interface ErrorMessage {
  re: number | null;
  type: "error";
  code: "malformed" | "refused" | "illegal" | "busy" | "rate" | "player" | "replaced" | "stopped" | "too_large" | "internal";
  text: Record<string, string>;
  hint: Record<string, string> | null;
  ply: number | null;
}

export interface Export {
  id?: number | null;
  type: "export";
  format: string;
  variations?: Array<VariationLine>;
}

export interface File {
  re: number | null;
  type: "file";
  name: string;
  mime: string;
  text: string;
}

export interface Forbidden {
  id?: number | null;
  type: "barred";
  x: number;
  y: number;
}

export interface ForbiddenReply {
  re: number | null;
  type: "barred";
  why: Record<string, string> | null;
}

export interface Frame {
  move: string;
  mover: number;
  svg: string;
}

export interface Hello {
  re: number | null;
  type: "hello";
  version: string;
  most_moves: number;
  longest_think: number;
}

export interface Hint {
  id?: number | null;
  type: "hint";
  player?: string | null;
  limit?: Limits;
}

export interface HintReply {
  re: number | null;
  type: "hint";
  ply: number;
  found: Report;
}

export interface Jump {
  id?: number | null;
  type: "jump";
  ply: number;
}

export interface Limits {
  time?: number | null;
  depth?: number | null;
  nodes?: number | null;
}

export interface LineMessage {
  id?: number | null;
  type: "line";
  moves: Array<string>;
  ply?: number | null;
}

export interface LineReply {
  re: number | null;
  type: "line";
  ply: number;
  frames: Array<Frame>;
}

export interface Load {
  id?: number | null;
  type: "load";
  name: string;
  data: string;
  number?: number;
}

export interface LoadReply {
  re: number | null;
  type: "loaded";
  game: string;
  start: string;
  moves: Array<string>;
  games: number;
  variations: Array<VariationLine>;
}

export interface Move {
  id?: number | null;
  type: "move";
  action?: number | null;
  move?: string | null;
  ply?: number | null;
}

export interface Note {
  player: string;
  found: Report;
}

export interface Open {
  id?: number | null;
  type: "open";
  game: string;
  start?: string;
  moves?: Array<string>;
  first?: string;
  second?: string;
  limit?: Limits;
  auto?: boolean;
  pace?: number;
  resigned?: 0 | 1 | null;
  overtime?: boolean;
}

export interface Picture {
  id?: number | null;
  type: "picture";
  dark?: boolean;
}

export interface PictureReply {
  re: number | null;
  type: "picture";
  name: string;
  svg: string;
}

export interface Piece {
  letter: string;
  tone: string;
}

export interface Players {
  id?: number | null;
  type: "players";
  first?: string | null;
  second?: string | null;
  limit?: Limits | null;
}

export interface Progress {
  re: number | null;
  type: "progress";
  task: "move" | "hint" | "analysis" | "review";
  ply: number;
  found: Report;
}

export interface Resign {
  id?: number | null;
  type: "resign";
  seat?: 0 | 1 | null;
  overtime?: boolean;
}

export interface Review {
  id?: number | null;
  type: "review";
  player: string;
  seconds?: number;
  since?: number;
}

export interface ReviewReply {
  re: number | null;
  type: "review";
  ended: "finished" | "stopped" | "time";
}

export interface Seat {
  name: Record<string, string>;
  tone: string;
  player: string;
  label: string;
  human: boolean;
  xray: string | null;
}

export interface Squares {
  re: number | null;
  type: "squares";
  ply: number;
  squares: Array<[number, number]>;
  letters: string;
  pieces: Array<Piece>;
  mover: number;
  movers: boolean;
}

export interface State {
  re: number | null;
  type: "state";
  game: string;
  start: string;
  since: number;
  moves: Array<string>;
  movers: Array<number>;
  notes: Array<Note | null>;
  plies: number;
  ply: number;
  svg: string;
  width: number;
  height: number;
  position: string | null;
  pieces: Array<Array<string>> | null;
  mover: number;
  agent: number;
  choices: Array<Choice>;
  last: Choice | null;
  over: boolean;
  result: Ending | null;
  seats: Array<Seat>;
  limit: Limits;
  auto: boolean;
  pace: number;
  searching: boolean;
}

export interface Step {
  id?: number | null;
  type: "step";
}

export interface Stop {
  id?: number | null;
  type: "stop";
}

export interface Swap {
  id?: number | null;
  type: "swap";
}

export interface Thinking {
  re: number | null;
  type: "thinking";
  task: "move" | "hint" | "analysis" | "review" | "xray";
  ply: number;
  seat: number | null;
  player: string;
  queued: number;
}

export interface Undo {
  id?: number | null;
  type: "undo";
}

export interface VariationLine {
  name: string;
  moves: Array<string>;
}

export interface Xray {
  id?: number | null;
  type: "xray";
  player: string;
  most?: number;
}

export interface XrayNode {
  parent: number;
  born: number;
  done: number;
  move: string;
  value: string;
  note: string;
  cut: boolean;
  tone: string;
  square: boolean;
}

export interface XrayReply {
  re: number | null;
  type: "xray";
  ply: number;
  kind: "bounds" | "visits";
  tree: Array<XrayNode>;
  steps: Array<XrayStep>;
  summary: Record<string, string>;
  nodes: number;
  cut: number;
  remark: Record<string, string> | null;
}

export interface XrayStep {
  text: Record<string, string>;
  now: Array<number>;
  labels: Array<[number, string, string]>;
}

export interface Value {
  value?: number | null;
  proved?: boolean;
  plies?: number;
  bound?: "<=" | ">=";
}

export interface MoveValue extends Value {
  move: string;
  visits?: number;
  prior?: number;
  line?: Array<string>;
}

export interface Report extends Value {
  move?: string | null;
  why?: string | Words;
  line?: Array<string>;
  moves?: Array<MoveValue>;
  chances?: [number, number, number] | null;
  shares?: Array<number>;
  depth?: number;
  seldepth?: number;
  nodes?: number;
  seconds?: number;
}

export type ServerMessage = Hello | State | Thinking | Progress | Compiling | HintReply | AnalysisReply | ReviewReply | XrayReply | LineReply | PictureReply | LoadReply | ForbiddenReply | File | Squares | ArrangeReply | ErrorMessage;
export type ClientMessage = Open | Move | Undo | Resign | Swap | Players | Jump | Auto | Step | Stop | Hint | Analyse | Review | Xray | LineMessage | Picture | Edit | Arrange | Load | Forbidden | Export;
