/** Reads and writes the variables of an expression. */
export interface ArithmeticScope {
  variable(name: string): string
  assign(name: string, value: string): void
}

export class ArithmeticError extends Error {}

/** Evaluates an arithmetic expression with 32-bit integers, as mksh does. Throws ArithmeticError. */
export function calculate(text: string, scope: ArithmeticScope): number {
  const reader = new ExpressionReader(text, scope)
  if (reader.atEnd()) return 0
  const value = reader.comma(true)
  if (!reader.atEnd()) throw new ArithmeticError(`unexpected '${reader.next()}'`)
  return value
}

const TOKEN =
  /\s*(0[xX][0-9a-fA-F]+|\d+#\w+|\d+|[A-Za-z_]\w*|\*\*|<<=|>>=|[-+*/%&|^]=|&&|\|\||\+\+|--|[<>=!]=|<<|>>|[^\s])/y
const MAX_DEPTH = 100

/** The operators with two operands, from the weakest to the strongest. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]

class ExpressionReader {
  private readonly tokens: string[]
  private readonly scope: ArithmeticScope
  private at = 0
  private depth = 0

  constructor(text: string, scope: ArithmeticScope) {
    this.scope = scope
    this.tokens = []
    TOKEN.lastIndex = 0
    for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) this.tokens.push(match[1] ?? '')
  }

  atEnd(): boolean {
    return this.at >= this.tokens.length
  }

  next(): string {
    return this.tokens[this.at] ?? ''
  }

  private take(...marks: readonly string[]): string | undefined {
    const token = this.tokens[this.at]
    if (token === undefined || !marks.includes(token)) return undefined
    this.at += 1
    return token
  }

  /** `runs` is false in a part whose value is not used: it assigns nothing and cannot divide by zero. */
  comma(runs: boolean): number {
    this.depth += 1
    if (this.depth > MAX_DEPTH) throw new ArithmeticError('expression is nested too deeply')
    let value = this.choice(runs)
    while (this.take(',') !== undefined) value = this.choice(runs)
    this.depth -= 1
    return value
  }

  private choice(runs: boolean): number {
    const name = this.tokens[this.at] ?? ''
    const operator = /^(?:=|<<=|>>=|[-+*/%&|^]=)$/.exec(this.tokens[this.at + 1] ?? '')?.[0]
    if (operator !== undefined && /^[A-Za-z_]/.test(name)) {
      this.at += 2
      const right = this.nested(() => this.choice(runs))
      return this.store(
        name,
        operator === '=' ? right : apply(operator.slice(0, -1), this.read(name), right, runs),
        runs,
      )
    }
    const test = this.level(0, runs)
    if (this.take('?') === undefined) return test
    const yes = this.nested(() => this.choice(runs && test !== 0))
    if (this.take(':') === undefined) throw new ArithmeticError("missing ':'")
    const no = this.nested(() => this.choice(runs && test === 0))
    return test === 0 ? no : yes
  }

  private nested(read: () => number): number {
    this.depth += 1
    if (this.depth > MAX_DEPTH) throw new ArithmeticError('expression is nested too deeply')
    const value = read()
    this.depth -= 1
    return value
  }

  private level(index: number, runs: boolean): number {
    const operators = LEVELS[index]
    if (operators === undefined) return this.unary(runs)
    let left = this.level(index + 1, runs)
    for (let operator = this.take(...operators); operator !== undefined; operator = this.take(...operators)) {
      const skipsRight = (operator === '&&' && left === 0) || (operator === '||' && left !== 0)
      left = apply(operator, left, this.level(index + 1, runs && !skipsRight), runs)
    }
    return left
  }

  private unary(runs: boolean): number {
    const step = this.take('++', '--')
    if (step !== undefined) {
      const name = this.name()
      return this.store(name, this.read(name) + (step === '++' ? 1 : -1), runs)
    }
    const sign = this.take('-', '+', '!', '~')
    if (sign === undefined) return this.operand(runs)
    const value = this.nested(() => this.unary(runs))
    return sign === '-' ? -value | 0 : sign === '+' ? value : sign === '!' ? Number(value === 0) : ~value
  }

  private operand(runs: boolean): number {
    if (this.take('(') !== undefined) {
      const value = this.comma(runs)
      if (this.take(')') === undefined) throw new ArithmeticError("missing ')'")
      return value
    }
    const token = this.next()
    if (!/^\w/.test(token))
      throw new ArithmeticError(token === '' ? 'unexpected end of expression' : `unexpected '${token}'`)
    if (/^\d/.test(token)) {
      this.at += 1
      return parseInteger(token)
    }
    const name = this.name()
    const value = this.read(name)
    const step = this.take('++', '--')
    if (step !== undefined) this.store(name, value + (step === '++' ? 1 : -1), runs)
    return value
  }

  private name(): string {
    const token = this.next()
    if (!/^[A-Za-z_]/.test(token)) throw new ArithmeticError(`unexpected '${token}'`)
    this.at += 1
    return token
  }

  private read(name: string): number {
    const text = this.scope.variable(name).trim()
    return text === '' ? 0 : parseInteger(text)
  }

  private store(name: string, value: number, runs: boolean): number {
    if (runs) this.scope.assign(name, String(value | 0))
    return value | 0
  }
}

function parseInteger(text: string): number {
  const [, sign = '', base, digits = ''] = /^([-+]?)(?:(\d+)#)?(\w+)$/.exec(text) ?? []
  const value = base === undefined ? Number(digits) : Number.parseInt(digits, Number(base))
  if (digits === '' || !Number.isInteger(value)) throw new ArithmeticError(`${text}: bad number`)
  return (sign === '-' ? -value : value) | 0
}

function apply(operator: string, left: number, right: number, runs: boolean): number {
  switch (operator) {
    case '+':
      return (left + right) | 0
    case '-':
      return (left - right) | 0
    case '*':
      return Math.imul(left, right)
    case '/':
    case '%':
      if (right === 0 && runs) throw new ArithmeticError('zero divisor')
      return right === 0 ? 0 : (operator === '/' ? left / right : left % right) | 0
    case '&':
      return left & right
    case '|':
      return left | right
    case '^':
      return left ^ right
    case '<<':
      return left << right
    case '>>':
      return left >> right
    default:
      return Number(compare(operator, left, right))
  }
}

function compare(operator: string, left: number, right: number): boolean {
  switch (operator) {
    case '==':
      return left === right
    case '!=':
      return left !== right
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
    case '&&':
      return left !== 0 && right !== 0
    default:
      return left !== 0 || right !== 0
  }
}
