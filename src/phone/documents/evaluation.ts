import { addDays, addMonths, countDays, formatDate, formatNumber, readWeekday } from './date-functions.ts'
import type { Expression } from './expression.ts'

/** A value in the state of an app: any JSON value. */
export type StateValue = null | boolean | number | string | StateValue[] | { [key: string]: StateValue }
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
      return readMember(scope.names, expression.name)
    case 'member':
      return readMember(evaluate(expression.object, scope), expression.key)
    case 'index':
      return readMember(evaluate(expression.object, scope), toKey(evaluate(expression.index, scope)))
    case 'unary':
      return evaluateUnary(expression.operator, evaluate(expression.operand, scope))
    case 'binary':
      return evaluateBinary(expression, scope)
    case 'choose':
      return isTrue(evaluate(expression.test, scope)) ? evaluate(expression.yes, scope) : evaluate(expression.no, scope)
    case 'call':
      return callFunction(expression.name, expression.args, scope)
  }
}

export function isTrue(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

export function formatValue(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return JSON.stringify(value)
}

export function toNumber(value: unknown): number {
  const number = typeof value === 'boolean' ? Number.NaN : Number(value ?? Number.NaN)
  return Number.isNaN(number) ? 0 : number
}

/** Writes a value to a state path. Returns false if the path does not exist. */
export function assign(target: Expression, value: StateValue, scope: Scope): boolean {
  if (target.kind !== 'member' && target.kind !== 'index') return false
  const holder = evaluate(target.object, scope)
  if (typeof holder !== 'object' || holder === null) return false
  const key = target.kind === 'member' ? target.key : toKey(evaluate(target.index, scope))
  if (FORBIDDEN_KEYS.has(key)) return false
  Reflect.set(holder, key, value)
  return true
}

export const FUNCTION_NAMES: ReadonlySet<string> = new Set(
  [
    't len lower upper trim contains number text fixed pad round min max abs join split next_id last lines slice range',
    'find filter count any sum map add_days add_months days_between weekday format_date format_number',
  ].flatMap((names) => names.split(' ')),
)

const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

function readMember(holder: unknown, key: string): unknown {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined
  return Reflect.get(holder, key)
}

function toKey(value: unknown): string {
  return typeof value === 'number' ? String(Math.trunc(value)) : formatValue(value)
}

function evaluateUnary(operator: '!' | '-', operand: unknown): unknown {
  return operator === '!' ? !isTrue(operand) : -toNumber(operand)
}

function evaluateBinary(expression: Expression & { kind: 'binary' }, scope: Scope): unknown {
  const left = evaluate(expression.left, scope)
  if (expression.operator === '&&') return isTrue(left) ? evaluate(expression.right, scope) : left
  if (expression.operator === '||') return isTrue(left) ? left : evaluate(expression.right, scope)
  const right = evaluate(expression.right, scope)
  if (expression.operator === '==') return isEqual(left, right)
  if (expression.operator === '!=') return !isEqual(left, right)
  if (expression.operator === '+') return add(left, right)
  if (typeof left === 'string' && typeof right === 'string' && left !== right) {
    const order = left < right ? -1 : 1
    return compare(expression.operator, order, 0)
  }
  return compare(expression.operator, toNumber(left), toNumber(right))
}

function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true
  const isNothing = (value: unknown): boolean => value === null || value === undefined
  return isNothing(left) && isNothing(right)
}

function add(left: unknown, right: unknown): unknown {
  const isText = typeof left === 'string' || typeof right === 'string'
  return isText ? formatValue(left) + formatValue(right) : roundValue(toNumber(left) + toNumber(right))
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
      return roundValue(left - right)
    case '*':
      return roundValue(left * right)
    case '/':
      return right === 0 ? 0 : roundValue(left / right)
    default:
      return right === 0 ? 0 : roundValue(left % right)
  }
}

/** Removes floating-point noise: 21.2 instead of 21.200000000000003. */
export function roundValue(value: number): number {
  return Number(value.toFixed(9))
}

type ExpressionFunction = (args: readonly unknown[], scope: Scope) => unknown

const FUNCTIONS: Readonly<Record<string, ExpressionFunction>> = {
  t: ([key], scope) => scope.translate(formatValue(key)),
  len: ([value]) => (Array.isArray(value) ? value.length : formatValue(value).length),
  lower: ([value]) => formatValue(value).toLowerCase(),
  upper: ([value]) => formatValue(value).toUpperCase(),
  trim: ([value]) => formatValue(value).trim(),
  contains: ([whole, part]) =>
    Array.isArray(whole)
      ? whole.some((entry) => isEqual(entry, part))
      : formatValue(whole).toLowerCase().includes(formatValue(part).toLowerCase()),
  number: ([value]) => toNumber(value),
  text: ([value]) => formatValue(value),
  fixed: ([value, digits]) => toNumber(value).toFixed(Math.min(9, Math.max(0, toNumber(digits)))),
  round: ([value]) => Math.round(toNumber(value)),
  min: (values) => Math.min(...values.map(toNumber)),
  max: (values) => Math.max(...values.map(toNumber)),
  abs: ([value]) => Math.abs(toNumber(value)),
  join: ([list, separator]) => toList(list).map(formatValue).join(formatValue(separator)),
  last: ([list]) => toList(list).at(-1),
  lines: ([value]) => formatValue(value).split('\n'),
  split: ([value, separator]) => formatValue(value).split(formatValue(separator)),
  pad: ([value, digits]) => formatValue(value).padStart(Math.min(20, toNumber(digits)), '0'),
  slice: ([value, start, end]) => {
    const whole = Array.isArray(value) ? value : formatValue(value)
    return whole.slice(toNumber(start), end === undefined ? undefined : toNumber(end))
  },
  range: ([from, to, step]) => listRange(toNumber(from), toNumber(to), step === undefined ? 1 : toNumber(step)),
  add_days: ([date, days]) => addDays(formatValue(date), toNumber(days)),
  add_months: ([date, months]) => addMonths(formatValue(date), toNumber(months)),
  days_between: ([from, to]) => countDays(formatValue(from), formatValue(to)),
  weekday: ([date]) => readWeekday(formatValue(date)),
  format_date: ([date, pattern], scope) => formatDate(formatValue(date), formatValue(pattern), readLocale(scope)),
  format_number: ([value, digits], scope) => formatNumber(toNumber(value), toNumber(digits), readLocale(scope)),
  next_id: ([list]) =>
    1 + toList(list).reduce<number>((top, entry) => Math.max(top, toNumber(readMember(entry, 'id'))), 0),
}

function readLocale({ names }: Scope): string {
  return formatValue(readMember(names['device'], 'locale')) || 'en-US'
}

const MAX_RANGE = 1000

/** The numbers from the first to the last, both included. */
function listRange(from: number, to: number, step: number): number[] {
  const count = step === 0 ? 0 : Math.floor(roundValue((to - from) / step)) + 1
  const length = Math.min(MAX_RANGE, Math.max(0, count))
  return Array.from({ length }, (_unused, index) => roundValue(from + index * step))
}

function callFunction(name: string, args: readonly Expression[], scope: Scope): unknown {
  const plain = FUNCTIONS[name]
  if (plain !== undefined)
    return plain(
      args.map((arg) => evaluate(arg, scope)),
      scope,
    )
  const [list, rule] = args
  const entries = list === undefined ? [] : toList(evaluate(list, scope))
  const evaluateEntry = (it: unknown): unknown =>
    rule === undefined ? it : evaluate(rule, { ...scope, names: { ...scope.names, it } })
  return evaluateListFunction(name, entries, evaluateEntry)
}

function evaluateListFunction(
  name: string,
  entries: readonly unknown[],
  evaluateEntry: (it: unknown) => unknown,
): unknown {
  switch (name) {
    case 'find':
      return entries.find((it) => isTrue(evaluateEntry(it)))
    case 'filter':
      return entries.filter((it) => isTrue(evaluateEntry(it)))
    case 'count':
      return entries.filter((it) => isTrue(evaluateEntry(it))).length
    case 'any':
      return entries.some((it) => isTrue(evaluateEntry(it)))
    case 'sum':
      return roundValue(entries.reduce<number>((total, it) => total + toNumber(evaluateEntry(it)), 0))
    case 'map':
      return entries.map(evaluateEntry)
    default:
      return undefined
  }
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
