import type { ElementMark } from '@apprentice/contracts/learn/elements.ts'
import type { LearnedLesson, Lesson } from '../../../knowledge/interpret/draft/lesson.ts'
import { type DraftSource, chooseTitle } from './draft-source.ts'

/** Returns what a demonstration teaches, undefined without screens. It may throw `LessonNeeded`. */
export type Learn = (lesson: Lesson) => LearnedLesson | undefined

/**
 * Thrown inside a command that needs the interpretation of a lesson, which takes too long for a transaction. The command
 * is rolled back and repeated when the lesson is learned.
 */
export class LessonNeeded extends Error {
  readonly lesson: Lesson

  constructor(lesson: Lesson) {
    super('The demonstration has to be interpreted first.')
    this.lesson = lesson
  }
}

/** What the draft of this source depends on besides the screens. Equal for equal sources, whatever their ids. */
export function describeLesson(source: DraftSource): Lesson {
  const { shown } = source
  const named_inputs = listMarks(source, 'input').flatMap(({ name, event_id }) =>
    name === undefined ? [] : [{ name, event_id }],
  )
  return {
    context: buildContext(source),
    outcome_words: shown?.words,
    is_outcome_hidden: shown?.nothing === true && listMarks(source, 'proof').length === 0,
    named_inputs,
  }
}

function buildContext(source: DraftSource): Lesson['context'] {
  const { demonstration, answers, edits, coaching } = source
  const constants = listMarks(source, 'constant').map(({ event_id }) => event_id)
  const inputs = listMarks(source, 'input').map(({ event_id }) => event_id)
  return {
    goal: demonstration.goal ?? answers.goal_summary,
    title: edits?.title ?? chooseTitle(source),
    marks: demonstration.marks,
    hints: coaching?.hints,
    constraints: coaching?.constraints,
    always: [...(coaching?.always ?? []), ...constants],
    fixed: constants,
    varied: [...(coaching?.varied ?? []), ...inputs].filter((id) => !constants.includes(id)),
    pinned: source.keep_event_ids ?? edits?.keep_event_ids,
    // The edits of an improvement name the inputs of the improved workflow.
    input_names: source.installed?.workflow === undefined ? edits?.inputs : source.installed.given_names,
    app_build: source.app_build,
    tested_on: source.tested_on,
    target_recipe: source.target_recipe,
    // The elements that the person said show the outcome: marked or chosen.
    proofs: [...listMarks(source, 'proof'), ...(source.shown?.elements ?? [])],
    outputs: listMarks(source, 'output').map((mark) => ({ ...mark, value_type: mark.value_type ?? 'text' })),
  }
}

const listMarks = ({ element_marks = [] }: DraftSource, kind: ElementMark['kind']): ElementMark[] =>
  element_marks.filter((mark) => mark.kind === kind)
