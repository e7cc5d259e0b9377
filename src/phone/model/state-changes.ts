import type { Action } from '../documents/app-action.ts'
import { assign, evaluate, isTrue, roundValue, toList, toNumber } from '../documents/evaluation.ts'
import type { StateRecord, StateValue } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { fillValue, type ValueTemplate } from '../documents/template.ts'
import { buildScope, type AppContext } from './scope.ts'

export type StateChange = Extract<Action, { do: 'set' | 'toggle' | 'add' | 'append' | 'remove' | 'move' }>

/** Applies an action that writes to the state of an app. */
export function changeState(context: AppContext, action: StateChange): void {
  const scope = buildScope(context)
  const current = evaluate(action.target, scope)
  const next = (): StateValue => {
    switch (action.do) {
      case 'set':
        return fillValue(action.value, scope)
      case 'toggle':
        return !isTrue(current)
      case 'add':
        return clamp(toNumber(current) + evaluateNumber(action.by, context), action, context)
      case 'append':
        return [...toList(current), fillValue(action.value, scope)] as StateValue[]
      case 'move':
        return moveEntry(action, context, toList(current))
      case 'remove':
        return toList(current).filter((it) => !matches(action.where, context, it)) as StateValue[]
    }
  }
  if (!assign(action.target, next(), scope)) {
    writeLog(context, 'W', context.app.document.package, `${action.do}: the target does not exist`)
  }
}

/** Moves the first entry that matches to another position. */
function moveEntry(
  action: Extract<Action, { do: 'move' }>,
  context: AppContext,
  list: readonly unknown[],
): StateValue[] {
  const entries = [...list] as StateValue[]
  const from = entries.findIndex((it) => matches(action.where, context, it))
  if (from === -1) return entries
  const to = Math.min(entries.length - 1, Math.max(0, evaluateNumber(action.to, context)))
  entries.splice(to, 0, ...entries.splice(from, 1))
  return entries
}

export function matches(where: Expression, context: AppContext, it: unknown): boolean {
  return isTrue(evaluate(where, buildScope({ ...context, names: { ...context.names, it } })))
}

function clamp(
  value: number,
  limits: { readonly min?: Expression | undefined; readonly max?: Expression | undefined },
  context: AppContext,
): number {
  const low = limits.min === undefined ? Number.NEGATIVE_INFINITY : evaluateNumber(limits.min, context)
  const high = limits.max === undefined ? Number.POSITIVE_INFINITY : evaluateNumber(limits.max, context)
  return roundValue(Math.min(high, Math.max(low, value)))
}

export function evaluateNumber(expression: Expression, context: AppContext): number {
  return toNumber(evaluate(expression, buildScope(context)))
}

export function fillRecord(
  record: Readonly<Record<string, ValueTemplate>> | undefined,
  context: AppContext,
): StateRecord {
  const scope = buildScope(context)
  const entries = Object.entries(record ?? {})
  return Object.fromEntries(entries.map(([key, value]) => [key, fillValue(value, scope)]))
}

export function writeLog(context: AppContext, level: 'V' | 'D' | 'I' | 'W' | 'E', tag: string, text: string): void {
  context.device.log.write({ pid: context.app.process?.pid ?? 0, level, tag, text })
}
