import { interpretRuns } from '../../knowledge/interpret/draft/interpret.ts'
import type { LearnedWorkflow } from '../../knowledge/interpret/draft/workflow.ts'
import { type DraftSource, knownTitle } from './draft-source.ts'

/** What the screens say about a demonstration; nothing where no device was watched. */
export function learnWorkflow(source: DraftSource): LearnedWorkflow | undefined {
  const { runs = [], shown, answers, edits, coaching } = source
  const seen = runs.filter(({ steps }) => steps.some(({ before, after }) => before ?? after))
  if (seen.length === 0) return undefined
  return interpretRuns(seen, {
    goal: shown.goal ?? answers.goal_summary,
    title: edits?.title ?? knownTitle(source),
    marks: shown.marks,
    hints: coaching?.hints,
    constraints: coaching?.constraints,
    always: coaching?.always,
    varied: coaching?.varied,
    keep: source.keep ?? edits?.keep_event_ids,
    input_names: edits?.inputs,
    app_build: source.app_build,
    tested_on: source.tested_on,
    target_recipe: source.target_recipe,
  })
}
