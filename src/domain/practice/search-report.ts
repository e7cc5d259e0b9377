import type { SubGoal } from '../../knowledge/goal-search/goal/goal.ts'
import type { ClosedWay } from '../../knowledge/goal-search/ways.ts'

const MAX_CLOSED_WAYS = 50
const MAX_NAMED = 3

/** Each closed way once. Those that lead to the goal come first, so that the limit does not cut them off. */
export function mergeClosedWays(ways: readonly ClosedWay[]): ClosedWay[] {
  const distinct = new Map<string, ClosedWay>()
  for (const way of ways) {
    const key = `${way.label} ${way.reason}`
    if (distinct.get(key)?.leads_to_goal !== true) distinct.set(key, way)
  }
  const all = [...distinct.values()]
  return [...all.filter(isOnTheWay), ...all.filter((way) => !isOnTheWay(way))].slice(0, MAX_CLOSED_WAYS)
}

const isOnTheWay = ({ leads_to_goal }: ClosedWay): boolean => leads_to_goal === true

/** Why a search may have found nothing, as sentences. */
export function explainSearch({
  closed,
  unknown,
  unseen,
}: {
  readonly closed: readonly ClosedWay[]
  readonly unknown: readonly string[]
  readonly unseen: readonly SubGoal[]
}): string[] {
  const onTheWay = closed.filter(isOnTheWay)
  const named = (onTheWay.length > 0 ? onTheWay : closed).slice(0, MAX_NAMED)
  const sentences = named.map(({ label, reason }) =>
    onTheWay.length > 0
      ? `The way leads through "${shorten(label)}", which policy does not allow: ${reason}`
      : `"${shorten(label)}" was not tried: ${reason}`,
  )
  if (unknown.length > 0) sentences.push(`Found nowhere in the app: ${unknown.map((word) => `"${word}"`).join(', ')}.`)
  else if (unseen.length > 0) sentences.push(`Not found: ${unseen.map(({ subject }) => `"${subject}"`).join(', ')}.`)
  return sentences
}

const shorten = (label: string): string => (label.length > 60 ? `${label.slice(0, 59)}…` : label)
