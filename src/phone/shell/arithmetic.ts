import { parseExpression, type Expression } from '../documents/expression.ts'

/** `$(( ))`: whole numbers only. Throws on what is not a sum. */
export function calculate(text: string, variable: (name: string) => string): number {
  const plain = text.replaceAll(/\$\{?(\w+)\}?/g, '$1')
  return plain.trim() === '' ? 0 : valueOf(parseExpression(plain), variable)
}

function valueOf(expression: Expression, variable: (name: string) => string): number {
  const value = (part: Expression): number => valueOf(part, variable)
  switch (expression.kind) {
    case 'literal':
      return Math.trunc(Number(expression.value))
    case 'name':
      return Math.trunc(Number(variable(expression.name))) || 0
    case 'unary':
      return expression.operator === '-'
        ? -value(expression.operand)
        : truth(value(expression.operand) === 0)
    case 'choose':
      return value(expression.test) === 0 ? value(expression.no) : value(expression.yes)
    case 'binary':
      return combine(expression.operator, value(expression.left), value(expression.right))
    case 'call':
    case 'index':
    case 'member':
      throw new Error('unexpected token')
  }
}

function truth(value: boolean): number {
  return value ? 1 : 0
}

function combine(operator: string, left: number, right: number): number {
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
      return truth(left < right)
    case '<=':
      return truth(left <= right)
    case '>':
      return truth(left > right)
    case '>=':
      return truth(left >= right)
    case '==':
      return truth(left === right)
    case '!=':
      return truth(left !== right)
    case '&&':
      return truth(left !== 0 && right !== 0)
    default:
      return truth(left !== 0 || right !== 0)
  }
}
