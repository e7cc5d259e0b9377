import type { SceneAnalysis } from '@apprentice/contracts/scenes/analysis.ts'
import type { SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'
import type { BoundParam, BoundValue, UnboundValue } from './bind-params.ts'
import type { ReportSource } from './choose-source.ts'
import type { Routing } from './routing.ts'

/** What is known of a scene before its files are written. */
export interface SceneDraft {
  readonly id: string
  readonly tool: string
  readonly version: string
  readonly routing: Routing
  readonly target_url: string | undefined
  readonly analysis: SceneAnalysis
  readonly answers: SceneAnswers
  readonly source: ReportSource | undefined
  readonly params: readonly BoundParam[]
  readonly values: readonly BoundValue[]
  readonly unbound: readonly UnboundValue[]
  /** Rows of a stored answer, for the test of the script. */
  readonly samples: readonly Record<string, unknown>[]
  /** What the lessons say about every package. */
  readonly fixed: FixedParts
}

/** Parts that are the same in all packages. */
export interface FixedParts {
  readonly suffix: string
  readonly success_status: readonly string[]
  readonly failure_status: readonly string[]
  readonly exporter: string
  readonly auto_open: string
}

/** An instruction that names an example of each parameter. */
export const formatExample = ({ params, routing, fixed }: SceneDraft): string =>
  [...params.map(({ example }) => example), routing.include_keywords[0] ?? routing.title].join(' ') + fixed.suffix

/** The arguments of the script for the example. */
export const listExampleArgs = ({ params }: SceneDraft): Record<string, unknown> =>
  Object.assign({}, ...params.map(({ example_args }) => example_args)) as Record<string, unknown>
