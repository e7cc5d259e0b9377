import { type CheckpointHealth, OpenLane } from '@apprentice/contracts/abilities/ability.ts'
import { sumScore, type ScoreParts } from './scorer.ts'

/** The fields of an ability that affect its score independently of the query. Each combination has a number. */
export interface StatusClass {
  readonly install_lane: OpenLane
  readonly checkpoint_health: CheckpointHealth
  readonly usable_now: boolean
  /** Scoped to no project, or to all projects. */
  readonly global: boolean
}

const HEALTHS = ['no_data', 'strong', 'weak'] as const
const TRIGGERS = [undefined, 'partial', 'full'] as const

const CLASSES_PER_LANE = HEALTHS.length * 4
const MATCH_KINDS = TRIGGERS.length * 4
export const SCORE_CLASS_COUNT = OpenLane.options.length * CLASSES_PER_LANE

/** The number of a score class. All health values without influence on the score share one class. */
export function toScoreClass({ install_lane, checkpoint_health, usable_now, global }: StatusClass): number {
  const lane = OpenLane.options.indexOf(install_lane)
  const health = Math.max(
    0,
    HEALTHS.findIndex((known) => known === checkpoint_health),
  )
  return lane * CLASSES_PER_LANE + health * 4 + Number(usable_now) * 2 + Number(global)
}

export function getLane(scoreClass: number): OpenLane {
  const lane = OpenLane.options[Math.floor(scoreClass / CLASSES_PER_LANE)]
  if (lane === undefined) throw new Error(`There is no score class ${scoreClass}.`)
  return lane
}

/** A match kind is the sum of these flags. `partial` means two common words, `full` a whole trigger phrase. */
export const IN_PROJECT = 1
export const IN_TITLE = 2
export const IN_TRIGGER = { partial: 4, full: 8 }

export const getScore = (scoreClass: number, matchKind: number): number =>
  scores[scoreClass * MATCH_KINDS + matchKind] ?? 0

/** The highest score of any class with this match kind. */
export const getMaxScore = (matchKind: number): number => maxScores[matchKind] ?? 1

const scores = Float64Array.from({ length: SCORE_CLASS_COUNT * MATCH_KINDS }, (_, at) =>
  sumScore(toScoreParts(Math.floor(at / MATCH_KINDS), at % MATCH_KINDS)),
)

const maxScores = Array.from({ length: MATCH_KINDS }, (_, matchKind) =>
  Math.max(...Array.from({ length: SCORE_CLASS_COUNT }, (__, scoreClass) => getScore(scoreClass, matchKind))),
)

function toScoreParts(scoreClass: number, matchKind: number): ScoreParts {
  const global = scoreClass % 2 === 1 ? 'global' : undefined
  return {
    trigger: TRIGGERS[Math.floor(matchKind / 4)],
    title: (matchKind & IN_TITLE) !== 0,
    scope: (matchKind & IN_PROJECT) !== 0 ? 'project' : global,
    install_lane: getLane(scoreClass),
    checkpoint_health: HEALTHS[Math.floor(scoreClass / 4) % HEALTHS.length] ?? 'no_data',
    usable_now: Math.floor(scoreClass / 2) % 2 === 1,
  }
}
