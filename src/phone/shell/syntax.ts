/** The syntax tree of a script. */
export type Command =
  | { readonly kind: 'sequence'; readonly items: readonly Command[] }
  | { readonly kind: 'chain'; readonly first: Command; readonly links: readonly ChainLink[] }
  | { readonly kind: 'not'; readonly command: Command }
  | { readonly kind: 'background'; readonly command: Command }
  | { readonly kind: 'pipe'; readonly parts: readonly Command[] }
  | { readonly kind: 'group'; readonly body: Command; readonly subshell: boolean }
  | { readonly kind: 'redirected'; readonly command: Command; readonly redirects: readonly Redirect[] }
  | { readonly kind: 'if'; readonly branches: readonly IfBranch[]; readonly otherwise: Command | undefined }
  | { readonly kind: 'loop'; readonly until: boolean; readonly test: Command; readonly body: Command }
  | { readonly kind: 'for'; readonly name: string; readonly words: readonly Word[] | undefined; readonly body: Command }
  | { readonly kind: 'case'; readonly subject: Word; readonly branches: readonly CaseBranch[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Command }
  | { readonly kind: 'condition'; readonly test: Condition }
  | { readonly kind: 'arithmetic'; readonly expression: Word }
  | SimpleCommand

export interface SimpleCommand {
  readonly kind: 'simple'
  readonly assignments: readonly Assignment[]
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
}

export interface ChainLink {
  readonly when: 'success' | 'failure'
  readonly command: Command
}

export interface IfBranch {
  readonly test: Command
  readonly body: Command
}

export interface CaseBranch {
  readonly patterns: readonly Word[]
  readonly body: Command
}

export interface Assignment {
  readonly name: string
  readonly value: Word
  /** `NAME+=value`. */
  readonly append: boolean
}

/** The expression between `[[` and `]]`. */
export type Condition =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: 'unary'; readonly operator: string; readonly word: Word }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Word; readonly right: Word }

export interface Redirect {
  readonly fd: number
  /** `<<` and `<<<` read the target itself. */
  readonly how: '>' | '>>' | '<' | '>&' | '<&' | '<<' | '<<<' | '<>'
  readonly target: Word
}

export type Word = readonly Piece[]
export type Piece =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly change: Change | undefined; readonly quoted: boolean }
  | { readonly kind: 'command'; readonly body: Command; readonly quoted: boolean }
  | { readonly kind: 'arithmetic'; readonly expression: Word; readonly quoted: boolean }

/** What `${NAME...}` does with the value: its operator, and the words that follow. */
export interface Change {
  readonly operator: string
  readonly word: Word
  /** The text for a replaced part, or the length of a part. */
  readonly second: Word | undefined
}

export class ShellSyntaxError extends Error {
  /** The input ends inside a quote, a bracket or a compound command. More input could complete it. */
  readonly incomplete: boolean

  constructor(message: string, incomplete: boolean) {
    super(message)
    this.incomplete = incomplete
  }
}
