import { parseExpression, type Expression } from '../documents/expression.ts'

/** Evaluates `$(( ))` with integers. Throws on a syntax error. */
export function calculate(text: string, variable: (name: string) => string): number {
  const plain = text.replaceAll(/\$\{?(\w+)\}?/g, '$1')
  return plain.trim() === '' ? 0 : evaluateNumber(parseExpression(plain), variable)
}

function evaluateNumber(expression: Expression, variable: (name: string) => string): number {
  const value = (part: Expression): number => evaluateNumber(part, variable)
  switch (expression.kind) {
    case 'literal':
      return Math.trunc(Number(expression.value))
    case 'name':
      return Math.trunc(Number(variable(expression.name))) || 0
    case 'unary':
      return expression.operator === '-' ? -value(expression.operand) : toNumber(value(expression.operand) === 0)
    case 'choose':
      return value(expression.test) === 0 ? value(expression.no) : value(expression.yes)
    case 'binary':
      return applyOperator(expression.operator, value(expression.left), value(expression.right))
    case 'call':
    case 'index':
    case 'member':
      throw new Error('unexpected token')
  }
}

function toNumber(value: boolean): number {
  return value ? 1 : 0
}

function applyOperator(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
    case '%':
      if (right === 0) throw new Error('zero divisor')
      return operator === '/' ? Math.trunc(left / right) : left % right
    case '<':
      return toNumber(left < right)
    case '<=':
      return toNumber(left <= right)
    case '>':
      return toNumber(left > right)
    case '>=':
      return toNumber(left >= right)
    case '==':
      return toNumber(left === right)
    case '!=':
      return toNumber(left !== right)
    case '&&':
      return toNumber(left !== 0 && right !== 0)
    default:
      return toNumber(left !== 0 || right !== 0)
  }
}
