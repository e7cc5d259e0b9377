/**
 * The expression language of app documents: paths, literals, operators and function calls.
 * Expressions are parsed when the document is read, so a syntax error names the field.
 */
export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly object: Expression; readonly key: string }
  | { readonly kind: 'index'; readonly object: Expression; readonly index: Expression }
  | { readonly kind: 'unary'; readonly operator: '!' | '-'; readonly operand: Expression }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: Expression
      readonly right: Expression
    }
  | {
      readonly kind: 'choose'
      readonly test: Expression
      readonly yes: Expression
      readonly no: Expression
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }

/** Parses an expression. Throws an Error that names the unexpected token. */
export function parseExpression(text: string): Expression {
  const reader = new TokenReader(text)
  const expression = parseChoice(reader)
  reader.expectEnd()
  return expression
}

/** Yields the expression and all its subexpressions. */
export function* walkExpression(expression: Expression): Generator<Expression> {
  yield expression
  for (const part of listOperands(expression)) yield* walkExpression(part)
}

function listOperands(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return []
    case 'member':
      return [expression.object]
    case 'index':
      return [expression.object, expression.index]
    case 'unary':
      return [expression.operand]
    case 'binary':
      return [expression.left, expression.right]
    case 'choose':
      return [expression.test, expression.yes, expression.no]
    case 'call':
      return expression.args
  }
}

const PRECEDENCE: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
}

function parseChoice(reader: TokenReader): Expression {
  const test = parseBinary(reader, 1)
  if (!reader.take('?')) return test
  const yes = parseChoice(reader)
  reader.expect(':')
  return { kind: 'choose', test, yes, no: parseChoice(reader) }
}

function parseBinary(reader: TokenReader, minimum: number): Expression {
  let left = parseUnary(reader)
  for (;;) {
    const operator = reader.peekSymbol()
    const precedence = operator === undefined ? undefined : PRECEDENCE[operator]
    if (operator === undefined || precedence === undefined || precedence < minimum) return left
    reader.next()
    left = { kind: 'binary', operator, left, right: parseBinary(reader, precedence + 1) }
  }
}

function parseUnary(reader: TokenReader): Expression {
  if (reader.take('!')) return { kind: 'unary', operator: '!', operand: parseUnary(reader) }
  if (reader.take('-')) return { kind: 'unary', operator: '-', operand: parseUnary(reader) }
  return parsePostfix(reader, parsePrimary(reader))
}

function parsePostfix(reader: TokenReader, start: Expression): Expression {
  let object = start
  for (;;) {
    if (reader.take('.')) {
      object = { kind: 'member', object, key: reader.expectName() }
    } else if (reader.take('[')) {
      object = { kind: 'index', object, index: parseChoice(reader) }
      reader.expect(']')
    } else {
      return object
    }
  }
}

function parsePrimary(reader: TokenReader): Expression {
  const token = reader.next()
  if (token.kind === 'number') return { kind: 'literal', value: Number(token.text) }
  if (token.kind === 'string') return { kind: 'literal', value: token.text }
  if (token.kind === 'name') return parseNamed(reader, token.text)
  if (token.kind === 'symbol' && token.text === '(') {
    const inner = parseChoice(reader)
    reader.expect(')')
    return inner
  }
  throw reader.failure(token)
}

const CONSTANTS = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
])

function parseNamed(reader: TokenReader, name: string): Expression {
  const constant = CONSTANTS.get(name)
  if (constant !== undefined) return { kind: 'literal', value: constant }
  if (!reader.take('(')) return { kind: 'name', name }
  const args: Expression[] = []
  while (!reader.take(')')) {
    if (args.length > 0) reader.expect(',')
    args.push(parseChoice(reader))
  }
  return { kind: 'call', name, args }
}

interface Token {
  readonly kind: 'number' | 'string' | 'name' | 'symbol' | 'end'
  readonly text: string
  readonly at: number
}

const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[A-Za-z_][A-Za-z0-9_]*)|'(?<string>(?:[^'\\]|\\.)*)'|(?<symbol>\|\||&&|[=!<>]=|[-+*/%<>!?:.,()[\]])|(?<end>$))/y

class TokenReader {
  private readonly text: string
  private readonly tokens: Token[] = []
  private position = 0

  constructor(text: string) {
    this.text = text
    TOKEN.lastIndex = 0
    for (;;) {
      const at = TOKEN.lastIndex
      const match = TOKEN.exec(text)
      if (match === null) throw new Error(`unexpected characters "${text.slice(at).trim()}" in "${text}"`)
      this.tokens.push(toToken(match, at))
      if (match.groups?.['end'] !== undefined) return
    }
  }

  next(): Token {
    const token = this.peek()
    this.position += 1
    return token
  }

  peekSymbol(): string | undefined {
    const token = this.peek()
    return token.kind === 'symbol' ? token.text : undefined
  }

  take(symbol: string): boolean {
    if (this.peekSymbol() !== symbol) return false
    this.position += 1
    return true
  }

  expect(symbol: string): void {
    const token = this.peek()
    if (!this.take(symbol)) throw this.failure(token, `"${symbol}"`)
  }

  expectName(): string {
    const token = this.next()
    if (token.kind !== 'name') throw this.failure(token, 'a name')
    return token.text
  }

  expectEnd(): void {
    const token = this.peek()
    if (token.kind !== 'end') throw this.failure(token, 'the end')
  }

  failure(token: Token, expected = 'a value'): Error {
    const found = token.kind === 'end' ? 'the end' : `"${token.text}"`
    return new Error(`expected ${expected} but found ${found} in "${this.text}"`)
  }

  private peek(): Token {
    return this.tokens[this.position] ?? { kind: 'end', text: '', at: this.text.length }
  }
}

function toToken(match: RegExpExecArray, at: number): Token {
  const groups = match.groups ?? {}
  for (const kind of ['number', 'name', 'symbol'] as const) {
    const text = groups[kind]
    if (text !== undefined) return { kind, text, at }
  }
  const text = groups['string']
  if (text !== undefined) return { kind: 'string', text: text.replaceAll(/\\(.)/g, '$1'), at }
  return { kind: 'end', text: '', at }
}
