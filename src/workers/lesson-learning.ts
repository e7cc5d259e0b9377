import { readFile } from 'node:fs/promises'
import { type LearnedLesson, learnLesson, type Lesson } from '../knowledge/interpret/draft/lesson.ts'
import type { ObservedStep, ObservedTrace } from '../knowledge/steps/observed-step.ts'
import { type Hierarchy, parseHierarchy } from '../screen/tree/hierarchy.ts'

/** Traces whose screens are in files. */
export interface LessonInput {
  readonly traces: readonly ObservedTrace[]
  /** The file of each screen by its reference in the steps. */
  readonly files: Readonly<Record<string, string>>
  readonly lesson: Lesson
}

/** Reads the screens of the traces and interprets them. A screen that was deleted meanwhile is left out. */
export async function learnRecordedLesson({ traces, files, lesson }: LessonInput): Promise<LearnedLesson | undefined> {
  const trees = new Map<string, Hierarchy>()
  for (const [ref, file] of Object.entries(files)) {
    const bytes = await readFile(file).catch(() => undefined)
    const parsed = bytes && parseHierarchy(bytes)
    if (parsed?.ok === true) trees.set(ref, parsed.hierarchy)
  }
  const addScreens = (step: ObservedStep): ObservedStep => ({
    ...step,
    before: trees.get(step.before_ref ?? ''),
    after: trees.get(step.after_ref ?? ''),
  })
  return learnLesson(
    traces.map(({ trace_id, steps }) => ({ trace_id, steps: steps.map(addScreens) })),
    lesson,
  )
}
