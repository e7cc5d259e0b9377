import { interpretTraces } from '../../knowledge/interpret/draft/interpret.ts'
import type { LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import { type DraftSource, chooseTitle } from './draft-source.ts'

/** Learns a workflow from the screens of a demonstration. Returns undefined if there are none. */
export function learnWorkflow(source: DraftSource): LearnedWorkflow | undefined {
  const { runs = [], demonstration, answers, edits, coaching } = source
  const runsWithScreens = runs.filter(({ steps }) => steps.some(({ before, after }) => before ?? after))
  if (runsWithScreens.length === 0) return undefined
  return interpretTraces(runsWithScreens, {
    goal: demonstration.goal ?? answers.goal_summary,
    title: edits?.title ?? chooseTitle(source),
    marks: demonstration.marks,
    hints: coaching?.hints,
    constraints: coaching?.constraints,
    always: coaching?.always,
    varied: coaching?.varied,
    pinned: source.keep_event_ids ?? edits?.keep_event_ids,
    input_names: edits?.inputs,
    app_build: source.app_build,
    tested_on: source.tested_on,
    target_recipe: source.target_recipe,
  })
}
