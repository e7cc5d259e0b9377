import type { Lesson, OutputValue } from '../apps/lesson-format.ts'

type LessonOutput = Lesson['outputs'][number]

/** The name that a person gives to an output. */
export const nameOutput = ({ key, accepted_names: [name = key] }: LessonOutput): string => name

/** What the outputs of a run differ in from the wanted ones, by key. */
export interface OutputFaults {
  readonly missing: readonly string[]
  readonly wrong: readonly string[]
}

/** Compares what a run returned with what a variation wants. Without wanted outputs nothing is compared. */
export function compareOutputs(
  { outputs }: Pick<Lesson, 'outputs'>,
  wanted: Readonly<Record<string, OutputValue>> = {},
  returned: Readonly<Record<string, unknown>> = {},
): OutputFaults {
  const missing: string[] = []
  const wrong: string[] = []
  for (const [key, value] of Object.entries(wanted)) {
    const output = outputs.find((one) => one.key === key)
    const found = output === undefined ? undefined : returned[nameOutput(output)]
    if (found === undefined || found === null) missing.push(key)
    else if (JSON.stringify(found) !== JSON.stringify(value)) wrong.push(key)
  }
  return { missing, wrong }
}
