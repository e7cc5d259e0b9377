import { z } from 'zod'

const Target = z.union([
  z.string().min(1),
  z
    .object({
      text: z.string().optional(),
      description: z.string().optional(),
      id: z.string().optional(),
      near: z.string().optional(),
      nth: z.int().min(0).optional(),
    })
    .strict(),
])
export type Target = z.infer<typeof Target>

const Step = z.union([
  z.object({ tap: Target }).strict(),
  z.object({ long_press: Target }).strict(),
  z.object({ type: z.string(), into: Target, append: z.boolean().optional() }).strict(),
  z.object({ swipe: z.enum(['up', 'down', 'left', 'right']), on: Target.optional() }).strict(),
  z.object({ drag: Target, to: Target }).strict(),
  z.object({ pull: z.enum(['down', 'shade']) }).strict(),
  z.object({ key: z.enum(['back', 'home', 'enter']) }).strict(),
  z.object({ wait_ms: z.int().min(1).max(5000) }).strict(),
])
export type DemonstrationStep = z.infer<typeof Step>

const Saved = z.record(z.string(), z.json())

const LessonInput = z
  .object({
    key: z.string().min(1),
    accepted_names: z.array(z.string().regex(/^[a-z][a-z0-9_]*$/)).min(1),
    demonstrated: z.union([z.string(), z.number(), z.boolean()]),
    kind: z.enum(['text', 'number', 'boolean', 'choice', 'entry']),
  })
  .strict()

const OutputValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).min(1)])
export type OutputValue = z.infer<typeof OutputValue>

const LessonOutput = z
  .object({
    key: z.string().min(1),
    accepted_names: z.array(z.string().regex(/^[a-z][a-z0-9_]*$/)).min(1),
    demonstrated: OutputValue,
    element: Target,
  })
  .strict()

export const VARIATION_KINDS = [
  'same',
  'other_value',
  'other_entry',
  'other_order',
  'scrolled',
  'more_entries',
  'pop_up',
  'slow',
  'already_done',
  'other_start',
  'renamed_label',
  'locale',
  'entry_missing',
  'two_alike',
  'refused',
  'ignored',
  'reverted',
  'queued',
  'offline',
  'wrong_account',
] as const

const NEGATIVE_KINDS: ReadonlySet<string> = new Set(VARIATION_KINDS.slice(12))

const Variation = z
  .object({
    name: z.string().min(1),
    kind: z.enum(VARIATION_KINDS),
    prepare: Saved.optional(),
    inputs: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
    outputs: z.record(z.string(), OutputValue).optional(),
    locale: z.string().default('en-US'),
    expect: z.enum(['success', 'no_success']),
    end: z.string().min(1),
  })
  .strict()
  .refine(({ kind, expect }) => (expect === 'no_success') === NEGATIVE_KINDS.has(kind), {
    message: 'expect does not fit the kind',
  })

const Lesson = z
  .object({
    name: z.string().min(1),
    goal: z.string().min(1),
    prepare: Saved.default({}),
    demonstration: z.array(Step).min(1).max(60),
    end: z.string().min(1),
    inputs: z.array(LessonInput).default([]),
    outputs: z.array(LessonOutput).default([]),
    proof: Target.optional(),
    variations: z.array(Variation).min(1),
  })
  .strict()
export type Lesson = z.infer<typeof Lesson>

export const LessonsFile = z
  .object({
    package: z.string().min(1),
    style: z.enum(['view', 'compose', 'react-native', 'flutter', 'webview']),
    about: z.string().min(1),
    lessons: z.array(Lesson).min(1),
  })
  .strict()
export type LessonsFile = z.infer<typeof LessonsFile>
