import { type CheckpointHealth, OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { addUp, type ScoreParts } from './scorer.ts'

/** What gives an ability its score beside the words of a query: few enough kinds to number them. */
export interface StatusClass {
  readonly install_lane: OpenLane
  readonly checkpoint_health: CheckpointHealth
  readonly usable_now: boolean
  /** Scoped to no project, or to all. */
  readonly global: boolean
}

const healths = ['no_data', 'strong', 'weak'] as const
const triggers = [undefined, 'partial', 'full'] as const

const perLane = healths.length * 4
const perStanding = triggers.length * 4
/** How many standings there are. */
export const standingCount = OpenLane.options.length * perLane

/** The number of a standing. Healths that add nothing are one. */
export function standingOf({
  install_lane,
  checkpoint_health,
  usable_now,
  global,
}: StatusClass): number {
  const lane = OpenLane.options.indexOf(install_lane)
  const health = Math.max(
    0,
    healths.findIndex((known) => known === checkpoint_health),
  )
  return lane * perLane + health * 4 + Number(usable_now) * 2 + Number(global)
}

export function laneOf(standing: number): OpenLane {
  const lane = OpenLane.options[Math.floor(standing / perLane)]
  if (lane === undefined) throw new Error(`There is no standing ${standing}.`)
  return lane
}

/** How a query met an ability: trigger (0 none, 1 two words of one, 2 a whole one) * 4 + title * 2 + project. */
export const inProject = 1
export const inTitle = 2
export const inTrigger = { partial: 4, full: 8 }

export const scoreAt = (standing: number, meeting: number): number =>
  scores[standing * perStanding + meeting] ?? 0

/** What the best standing scores. */
export const mostAt = (meeting: number): number => mosts[meeting] ?? 1

const scores = Float64Array.from({ length: standingCount * perStanding }, (_, at) =>
  addUp(partsAt(Math.floor(at / perStanding), at % perStanding)),
)

const mosts = Array.from({ length: perStanding }, (_, meeting) =>
  Math.max(...Array.from({ length: standingCount }, (__, standing) => scoreAt(standing, meeting))),
)

function partsAt(standing: number, meeting: number): ScoreParts {
  const global = standing % 2 === 1 ? 'global' : undefined
  return {
    trigger: triggers[Math.floor(meeting / 4)],
    title: (meeting & inTitle) !== 0,
    scope: (meeting & inProject) !== 0 ? 'project' : global,
    install_lane: laneOf(standing),
    checkpoint_health: healths[Math.floor(standing / 4) % healths.length] ?? 'no_data',
    usable_now: Math.floor(standing / 2) % 2 === 1,
  }
}
