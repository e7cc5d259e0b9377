import { CALL_TYPE } from '../parse/ability-calls.ts'
import type { LoweredAction } from '../lower/lower-step.ts'

/** The last actions of a part whose skip targets are in later parts. */
export const DONE_MARKER = 'already.done'
const NEXT_MARKER = 'already.next'

type Group = readonly LoweredAction[]

/**
 * The smallest groups of actions that must stay in one execution: the start with the first step, each further step with
 * its wait and confirmation, and the verification. A call is a group of its own.
 */
export function splitGroups(actions: readonly LoweredAction[]): Group[] {
  const groups: LoweredAction[][] = []
  for (const [at, action] of actions.entries()) {
    const previous = actions[at - 1]
    const current = groups.at(-1)
    if (current === undefined || previous === undefined || isBorder(previous, action)) groups.push([action])
    else current.push(action)
  }
  return groups
}

function isBorder(previous: LoweredAction, action: LoweredAction): boolean {
  if (previous.action.type === CALL_TYPE || action.action.type === CALL_TYPE) return true
  if (previous.role === 'session') return false
  if (action.role === 'verification') return previous.role !== 'verification'
  return action.step_id !== previous.step_id
}

/** Joins neighbours while they fit. Calls and the verification stay alone. */
export function packGroups(groups: readonly Group[], fits: (actions: Group) => boolean): Group[] {
  const packed: Group[] = []
  for (const group of groups) {
    const last = packed.at(-1)
    const joined = last === undefined || standsAlone(group) || standsAlone(last) ? undefined : [...last, ...group]
    if (joined !== undefined && fits(joined)) packed[packed.length - 1] = joined
    else packed.push(group)
  }
  return packed.map(retargetSkips)
}

const standsAlone = ([first]: Group): boolean => first?.action.type === CALL_TYPE || first?.role === 'verification'

/**
 * A check may skip to an action of a later part. It then skips to a marker at the end of its own part: `already.done`
 * if all steps are done, `already.next` if the next part follows.
 */
function retargetSkips(group: Group): Group {
  const own = new Set(group.map(({ action }) => action.id))
  const isForeign = (target: unknown) => typeof target === 'string' && !own.has(target)
  const skips = group.some(({ action }) => isForeign(action.params['skipTo']) || isForeign(action.params['elseSkipTo']))
  if (!skips) return group
  const retargeted = group.map((lowered) => {
    const { skipTo, elseSkipTo } = lowered.action.params
    const params = {
      ...lowered.action.params,
      ...(isForeign(skipTo) && { skipTo: DONE_MARKER }),
      ...(isForeign(elseSkipTo) && { elseSkipTo: NEXT_MARKER }),
    }
    return { ...lowered, action: { ...lowered.action, params } }
  })
  return [...retargeted, toMarker(NEXT_MARKER), toMarker(DONE_MARKER)]
}

const toMarker = (id: string): LoweredAction => ({
  action: { id, type: 'sleep', params: { durationMs: 0 } },
  step_id: id,
  role: 'session',
})
