import type { Understanding } from '@apprentice/contracts/learn/understanding.ts'
import type { LearnedWorkflow } from '../../../knowledge/interpret/draft/workflow.ts'
import { clip } from '../../../knowledge/text/plain-text.ts'
import { chooseTitle, type DraftSource } from './draft-source.ts'
import { UNNAMED_TITLE } from './interpretation.ts'

/** What a draft of this source would contain. */
export function describeUnderstanding(source: DraftSource, workflow: LearnedWorkflow): Understanding {
  const { steps, inputs, outputs = [], verification, pruned, doubts, recipe } = workflow
  return {
    title: clip(chooseTitle(source) ?? UNNAMED_TITLE, 160),
    steps: steps.map(({ description, input, source_event_ids }) => ({
      description,
      ...(input === undefined ? {} : { input }),
      event_ids: [...source_event_ids],
    })),
    inputs: inputs.map(({ name, type, example, secret }) => ({
      name,
      type,
      ...(example === undefined || secret === true ? {} : { example }),
    })),
    outputs: outputs.map(({ name }) => name),
    proofs: verification.map(({ text }) => text),
    left_out: pruned.map(({ summary, reason, event_ids }) => ({ summary, reason, event_ids: [...event_ids] })),
    open_points: doubts.map(({ reason }) => reason),
    repeatable: recipe !== undefined,
  }
}
