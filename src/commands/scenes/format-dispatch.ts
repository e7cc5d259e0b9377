import type { OpenParam, SceneDispatch } from '@apprentice/contracts/scenes/dispatch.ts'
import type { ScenePlan, SceneSignal } from '@apprentice/contracts/scenes/plan.ts'

/** What a dispatch decided, for a terminal. */
export function formatDispatch(dispatch: SceneDispatch): string {
  const lines = [`${dispatch.outcome}: ${dispatch.explanation}`]
  switch (dispatch.outcome) {
    case 'not_deterministic':
      return lines.join('\n')
    case 'no_scene':
      return [...lines, ...dispatch.excluded.map(({ scene_id, keyword }) => `  ${scene_id} excludes ${keyword}`)].join(
        '\n',
      )
    case 'ambiguous_scene':
      return [
        ...lines,
        ...dispatch.candidates.flatMap(({ scene_id, title, score, signals }) => [
          `  ${scene_id} (${title}), score ${score}`,
          ...formatSignals(signals, '    '),
        ]),
      ].join('\n')
    case 'missing_params':
    case 'ambiguous_params':
      return [...lines, ...dispatch.params.flatMap(formatParam), ...formatSignals(dispatch.signals, '  ')].join('\n')
    case 'plan':
      return [...lines, ...formatPlan(dispatch.plan)].join('\n')
  }
}

const formatParam = ({ name, prompt, candidates }: OpenParam): string[] => [
  `  ${name}: ${prompt}`,
  ...candidates.map(({ label }) => `    - ${label}`),
]

const formatPlan = (plan: ScenePlan): string[] => [
  `  scene   ${plan.scene_id} ${plan.scene_version}`,
  `  page    ${plan.bootstrap.target_url}`,
  `  script  ${plan.script}`,
  ...Object.entries(plan.args).map(([name, value]) => `  ${name} = ${JSON.stringify(value)}`),
  ...formatSignals(plan.signals, '  '),
  `  hash    ${plan.plan_hash}`,
]

const formatSignals = (signals: readonly SceneSignal[], indent: string): string[] =>
  signals.map(({ kind, points, found, explanation }) => {
    const words = found.length === 0 ? '' : ` [${found.join(', ')}]`
    return `${indent}${kind} +${points}: ${explanation}${words}`
  })
