import type { Expression } from './expression.ts'

/** What a state of an app is made of: JSON, nothing else. */
export type StateValue =
  | null
  | boolean
  | number
  | string
  | StateValue[]
  | { [key: string]: StateValue }
export type StateRecord = { [key: string]: StateValue }

export interface Scope {
  /** `saved`, `memory`, `local`, `args`, `item`, ... by name. */
  readonly names: Readonly<Record<string, unknown>>
  translate(key: string): string
}

export function evaluate(expression: Expression, scope: Scope): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'name':
      return memberOf(scope.names, expression.name)
    case 'member':
      return memberOf(evaluate(expression.object, scope), expression.key)
    case 'index':
      return memberOf(evaluate(expression.object, scope), keyOf(evaluate(expression.index, scope)))
    case 'unary':
      return unary(expression.operator, evaluate(expression.operand, scope))
    case 'binary':
      return binary(expression, scope)
    case 'choose':
      return isTrue(evaluate(expression.test, scope))
        ? evaluate(expression.yes, scope)
        : evaluate(expression.no, scope)
    case 'call':
      return call(expression.name, expression.args, scope)
  }
}

export function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

export function showValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value)
}

export function numberOf(value: unknown): number {
  const number = typeof value === 'boolean' ? Number.NaN : Number(value ?? Number.NaN)
  return Number.isNaN(number) ? 0 : number
}

/** Puts a value where a path points. False when the path leads nowhere. */
export function assign(target: Expression, value: StateValue, scope: Scope): boolean {
  if (target.kind !== 'member' && target.kind !== 'index') return false
  const holder = evaluate(target.object, scope)
  if (typeof holder !== 'object' || holder === null) return false
  const key = target.kind === 'member' ? target.key : keyOf(evaluate(target.index, scope))
  if (FORBIDDEN_KEYS.has(key)) return false
  Reflect.set(holder, key, value)
  return true
}

export const FUNCTION_NAMES: ReadonlySet<string> = new Set(
  't len lower upper trim contains number text fixed round min max abs join next_id last lines find filter count any sum map'.split(
    ' ',
  ),
)

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

function memberOf(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined
  return Reflect.get(holder, key)
}

function keyOf(value: unknown): string {
  return typeof value === 'number' ? String(Math.trunc(value)) : showValue(value)
}

function unary(operator: '!' | '-', operand: unknown): unknown {
  return operator === '!' ? !isTrue(operand) : -numberOf(operand)
}

function binary(expression: Expression & { kind: 'binary' }, scope: Scope): unknown {
  const left = evaluate(expression.left, scope)
  if (expression.operator === '&&') return isTrue(left) ? evaluate(expression.right, scope) : left
  if (expression.operator === '||') return isTrue(left) ? left : evaluate(expression.right, scope)
  const right = evaluate(expression.right, scope)
  if (expression.operator === '==') return same(left, right)
  if (expression.operator === '!=') return !same(left, right)
  if (expression.operator === '+') return add(left, right)
  if (typeof left === 'string' && typeof right === 'string' && left !== right) {
    const order = left < right ? -1 : 1
    return compare(expression.operator, order, 0)
  }
  return compare(expression.operator, numberOf(left), numberOf(right))
}

function same(left: unknown, right: unknown): boolean {
  if (left === right) return true
  const nothing = (value: unknown): boolean => value === null || value === undefined
  return nothing(left) && nothing(right)
}

function add(left: unknown, right: unknown): unknown {
  const words = typeof left === 'string' || typeof right === 'string'
  return words ? showValue(left) + showValue(right) : tidy(numberOf(left) + numberOf(right))
}

function compare(operator: string, left: number, right: number): unknown {
  switch (operator) {
    case '<':
      return left < right
    case '<=':
      return left <= right
    case '>':
      return left > right
    case '>=':
      return left >= right
    case '-':
      return tidy(left - right)
    case '*':
      return tidy(left * right)
    case '/':
      return right === 0 ? 0 : tidy(left / right)
    default:
      return right === 0 ? 0 : tidy(left % right)
  }
}

/** Steps of 0.1 must not show up as 21.200000000000003 on a screen. */
export function tidy(value: number): number {
  return Number(value.toFixed(9))
}

type Function = (args: readonly unknown[], scope: Scope) => unknown

const FUNCTIONS: Readonly<Record<string, Function>> = {
  t: ([key], scope) => scope.translate(showValue(key)),
  len: ([value]) => (Array.isArray(value) ? value.length : showValue(value).length),
  lower: ([value]) => showValue(value).toLowerCase(),
  upper: ([value]) => showValue(value).toUpperCase(),
  trim: ([value]) => showValue(value).trim(),
  contains: ([whole, part]) =>
    Array.isArray(whole)
      ? whole.some((entry) => same(entry, part))
      : showValue(whole).toLowerCase().includes(showValue(part).toLowerCase()),
  number: ([value]) => numberOf(value),
  text: ([value]) => showValue(value),
  fixed: ([value, digits]) => numberOf(value).toFixed(Math.min(9, Math.max(0, numberOf(digits)))),
  round: ([value]) => Math.round(numberOf(value)),
  min: (values) => Math.min(...values.map(numberOf)),
  max: (values) => Math.max(...values.map(numberOf)),
  abs: ([value]) => Math.abs(numberOf(value)),
  join: ([list, separator]) => listOf(list).map(showValue).join(showValue(separator)),
  last: ([list]) => listOf(list).at(-1),
  lines: ([value]) => showValue(value).split('\n'),
  next_id: ([list]) =>
    1 +
    listOf(list).reduce<number>((top, entry) => Math.max(top, numberOf(memberOf(entry, 'id'))), 0),
}

function call(name: string, args: readonly Expression[], scope: Scope): unknown {
  const plain = FUNCTIONS[name]
  if (plain !== undefined)
    return plain(
      args.map((arg) => evaluate(arg, scope)),
      scope,
    )
  const [list, rule] = args
  const entries = list === undefined ? [] : listOf(evaluate(list, scope))
  const each = (it: unknown): unknown =>
    rule === undefined ? it : evaluate(rule, { ...scope, names: { ...scope.names, it } })
  return overList(name, entries, each)
}

function overList(
  name: string,
  entries: readonly unknown[],
  each: (it: unknown) => unknown,
): unknown {
  switch (name) {
    case 'find':
      return entries.find((it) => isTrue(each(it)))
    case 'filter':
      return entries.filter((it) => isTrue(each(it)))
    case 'count':
      return entries.filter((it) => isTrue(each(it))).length
    case 'any':
      return entries.some((it) => isTrue(each(it)))
    case 'sum':
      return tidy(entries.reduce<number>((total, it) => total + numberOf(each(it)), 0))
    case 'map':
      return entries.map(each)
    default:
      return undefined
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
