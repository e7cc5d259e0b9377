import type { Recipe } from '@apprentice/contracts/recipes/recipe.ts'
import { diffRecipes } from './recipe-diff.ts'
import type { LearnedWorkflow } from './workflow.ts'

/** A draft as a reviewer sees it, without the values of the demonstration. */
export function toReview(
  workflow: LearnedWorkflow,
  about: {
    readonly summary: string
    readonly portability_grade: string
    readonly installed?: Recipe | undefined
  },
) {
  const { steps, pruned, inputs, verification, doubts, notes, conditions, hints, recipe } = workflow
  const { installed } = about
  return {
    summary: about.summary,
    steps: steps.map(({ step_id, description, source_event_ids, annotation, optional, input }) => ({
      step_id,
      description,
      source_event_ids,
      annotation,
      ...(input !== undefined && { input }),
      ...(optional === true && { optional }),
    })),
    pruned,
    inputs: inputs.map(({ example: _example, ...input }) => input),
    verification: verification.map(({ id, text, inputs: names, proved_by }) => ({
      id,
      words: text,
      inputs: names,
      proved_by,
    })),
    conditions,
    ...(hints.length > 0 && { hints }),
    doubts,
    notes,
    repeatable: recipe !== undefined,
    portability_grade: about.portability_grade,
    ...(installed !== undefined && recipe !== undefined && { diff: diffRecipes(installed, recipe) }),
    schema_version: 1,
  }
}
