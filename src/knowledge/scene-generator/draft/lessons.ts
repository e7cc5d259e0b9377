import { parse, TomlError } from 'smol-toml'
import { z } from 'zod'

/** The sections that lessons must have, because a package is checked under each of them. */
export const LESSON_SECTIONS = [
  'deterministic_routing',
  'canonical_parameters',
  'bootstrap',
  'artifact_postprocess',
  'validation_checklist',
] as const

const LessonRule = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9.-]{0,79}$/),
  section: z.enum(LESSON_SECTIONS),
  check: z.string().regex(/^[a-z][a-z0-9_]{0,59}$/),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]).optional(),
  why: z.string().min(1).max(400),
})
export type LessonRule = z.infer<typeof LessonRule>

const LessonsDocument = z.strictObject({
  schema_version: z.literal('1'),
  source: z.string().max(200),
  rules: z.array(LessonRule).max(200),
})
export type Lessons = z.infer<typeof LessonsDocument>

/** The lessons cannot be used. */
export class InvalidLessons extends Error {
  override readonly name = 'InvalidLessons'
}

/** Parses the lessons. A section without rules and a rule without a known check are refused, because neither would be enforced. */
export function parseLessons(text: string, knownChecks: ReadonlySet<string>): Lessons {
  const lessons = LessonsDocument.safeParse(parseToml(text))
  if (!lessons.success) {
    const [issue] = lessons.error.issues
    throw new InvalidLessons(`The lessons are invalid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
  }
  const { rules } = lessons.data
  const missing = LESSON_SECTIONS.filter((section) => !rules.some((rule) => rule.section === section))
  if (missing.length > 0) throw new InvalidLessons(`The lessons have no rules for ${missing.join(', ')}.`)
  const unknown = rules.filter(({ check }) => check !== 'manual' && !knownChecks.has(check))
  if (unknown.length > 0) {
    throw new InvalidLessons(`No check is known for ${unknown.map(({ id, check }) => `${id} (${check})`).join(', ')}.`)
  }
  const twice = rules.find(({ id }, at) => rules.findIndex((rule) => rule.id === id) !== at)
  if (twice !== undefined) throw new InvalidLessons(`The lessons have two rules ${twice.id}.`)
  return lessons.data
}

function parseToml(text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof TomlError) throw new InvalidLessons(`The lessons are not valid TOML: line ${error.line}.`)
    throw error
  }
}

/** The value of the rule with a check, for what templates take from the lessons. */
export function readText(lessons: Lessons, check: string): string {
  const value = lessons.rules.find((rule) => rule.check === check)?.value
  if (typeof value !== 'string') throw new InvalidLessons(`The lessons have no text for ${check}.`)
  return value
}

export function readTexts(lessons: Lessons, check: string): readonly string[] {
  const value = lessons.rules.find((rule) => rule.check === check)?.value
  if (!Array.isArray(value)) throw new InvalidLessons(`The lessons have no list for ${check}.`)
  return value
}
