import type { z } from 'zod'
import type { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import {
  CostClass,
  NAMESPACE_NAME,
  PortabilityGrade,
  PortableFrontmatter,
  SKILL_NAME,
} from '@apprentice/contracts/skills/import-record.ts'
import { isGenericVerb } from '../search-words/content-words.ts'
import { chooseTitle } from '../search-words/title.ts'
import { deriveNegativeTriggers, deriveTriggers, type SkillWords } from '../search-words/trigger-phrases.ts'
import { clip, distinct, toOneLine } from '../text/plain-text.ts'
import { parseSurface } from './control-surfaces.ts'
import { readFields } from '../markdown/fields.ts'
import type { Findings } from './findings.ts'
import { normalizeKey } from './frontmatter-keys.ts'

type RawFields = Readonly<Record<string, unknown>>

export interface HeaderContext {
  readonly body: string
  /** The folder of SKILL.md, if it is not at the top level of the archive. */
  readonly folder?: string | undefined
}

export interface ReadFrontmatter {
  /** Absent when a required field is missing or invalid. */
  readonly frontmatter?: PortableFrontmatter | undefined
  readonly skill_name?: string | undefined
  readonly skill_pack?: string | undefined
  readonly licensed: boolean
}

const SKILL_FILE = 'SKILL.md'

/** Parses the fields of a header. Problems become findings. */
export function readHeader(header: string | undefined, findings: Findings): RawFields | undefined {
  if (header === undefined) {
    findings.add('FRONTMATTER_MISSING', { path: SKILL_FILE })
    return undefined
  }
  const read = readFields(header)
  if ('fields' in read) return read.fields
  const code = read.why === 'unsafe' ? 'FRONTMATTER_UNSAFE_YAML' : 'FRONTMATTER_UNPARSABLE'
  const note = read.why === 'too_long' ? read.problems[0]?.message : undefined
  findings.add(code, { path: SKILL_FILE, note })
  return undefined
}

/** Normalizes the spelling of a header, fills in missing fields from the body, and validates the result. */
export function normalizeFrontmatter(
  given: RawFields,
  { body, folder }: HeaderContext,
  findings: Findings,
): ReadFrontmatter {
  const raw = normalizeKeys(given, findings)
  const name = readName(raw, folder, findings)
  const description = readDescription(raw, findings)
  if (raw['schema_version'] !== undefined && readText(raw['schema_version']) !== '1') {
    findings.add('FRONTMATTER_SCHEMA_VERSION_UNSUPPORTED', { path: SKILL_FILE })
  }
  const read = {
    name,
    title: readTitle(raw, { name: name ?? 'skill', description, body }, findings),
    description,
    version: readVersion(raw, findings),
    ...readTriggers(raw, { name: name ?? '', description: readText(raw['description']) }, findings),
    ...readLists(raw),
    preferred_control_surfaces: readSurfaces(raw, findings),
    estimated_cost_class: readChoice(raw, ['estimated_cost_class', CostClass, 'unknown'], findings),
    ...readNamespace(raw, findings),
    portability_grade: readGrade(raw, findings),
    schema_version: 1,
  }
  const checked = PortableFrontmatter.safeParse(read)
  const pack = readText(raw['skill_pack'])
  return {
    frontmatter: checked.success ? checked.data : undefined,
    skill_name: name,
    skill_pack: pack === '' ? undefined : pack.slice(0, 64),
    licensed: raw['license'] !== undefined || raw['licence'] !== undefined,
  }
}

/** Accepted keys that are not part of the normalized header. */
const OTHER_KEYS = 'skill_pack tags license licence metadata compatibility author'
const knownKeys = new Set([...Object.keys(PortableFrontmatter.shape), ...OTHER_KEYS.split(' ')])

function normalizeKeys(given: RawFields, findings: Findings): RawFields {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const own = normalizeKey(key)
    if (own === '__proto__') continue
    if (own !== key) findings.add('FRONTMATTER_KEY_NORMALIZED', { path: SKILL_FILE, note: key })
    if (!knownKeys.has(own)) findings.add('FRONTMATTER_KEY_UNKNOWN', { path: SKILL_FILE, note: key })
    // A key in the correct spelling wins over a variant.
    if (!(own in out) || own === key) out[own] = value
  }
  return out
}

const readText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? toOneLine(String(value), 4000) : ''

function readName(raw: RawFields, folder: string | undefined, findings: Findings): string | undefined {
  const name = readText(raw['name'])
  if (name === '') {
    findings.add('FRONTMATTER_NAME_MISSING', { path: SKILL_FILE })
    return undefined
  }
  if (!SKILL_NAME.test(name)) {
    findings.add('FRONTMATTER_NAME_INVALID', { path: SKILL_FILE, note: clip(name, 80) })
    return undefined
  }
  if (folder !== undefined && folder !== name) {
    findings.add('FRONTMATTER_NAME_DIR_MISMATCH', { path: SKILL_FILE, note: folder })
  }
  return name
}

function readDescription(raw: RawFields, findings: Findings): string {
  const full = readText(raw['description'])
  if (full === '') findings.add('FRONTMATTER_DESCRIPTION_MISSING', { path: SKILL_FILE })
  else if (!/\b(?:when|whenever|if|for|use)\b/i.test(full)) {
    findings.add('FRONTMATTER_DESCRIPTION_NO_WHEN', { path: SKILL_FILE })
  }
  if (full.length > 500) findings.add('FRONTMATTER_DESCRIPTION_TOO_LONG', { path: SKILL_FILE })
  return clip(full, 500)
}

function readTitle(
  raw: RawFields,
  { name, description, body }: { name: string; description: string; body: string },
  findings: Findings,
): string {
  const given = readText(raw['title'])
  if (given !== '') return clip(given, 120)
  findings.add('FRONTMATTER_TITLE_DEFAULTED', { path: SKILL_FILE })
  const heading = /^#[ \t]+(.{1,400})$/m.exec(body)?.[1] ?? ''
  return chooseTitle({ name, description, heading })
}

function readVersion(raw: RawFields, findings: Findings): string {
  const given = clip(readText(raw['version']), 32)
  if (given === '') {
    findings.add('FRONTMATTER_VERSION_DEFAULTED', { path: SKILL_FILE })
    return '1.0.0'
  }
  if (!/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(given)) {
    findings.add('FRONTMATTER_VERSION_NOT_SEMVER', { path: SKILL_FILE, note: given })
  }
  return given
}

/** As `readText`, with line breaks. */
const readLines = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Reads an array, or a text with separators. */
function readList(value: unknown, separator: RegExp = /[,\n]/): string[] {
  const parts = Array.isArray(value) ? value.map(readText) : readLines(value).split(separator)
  return distinct(parts.map((part) => toOneLine(part, 400))).slice(0, 100)
}

/** Tools are separated by commas or spaces. Parentheses may contain spaces. */
function readTools(value: unknown): string[] {
  if (typeof value !== 'string') return readList(value)
  return distinct(value.match(/[^\s,(]+(?:\([^)(]{0,1000}\))?/g) ?? []).slice(0, 100)
}

const clipEntries = (entries: readonly string[], max: number): string[] =>
  distinct(entries.map((entry) => clip(entry, max)))

const readLists = (raw: RawFields) => ({
  allowed_tools: clipEntries(readTools(raw['allowed_tools']), 80),
  support_packs: clipEntries(readList(raw['support_packs'], /[\s,]+/), 120),
  connector_hints: clipEntries(readList(raw['connector_hints'], /[\s,]+/), 120),
  depends_on: clipEntries(readList(raw['depends_on'], /[\s,]+/), 80),
})

function readTriggers(raw: RawFields, skill: SkillWords, findings: Findings) {
  const given = readList(raw['triggers'])
  const negatives = readList(raw['negative_triggers'])
  if (given.length === 0) findings.add('FRONTMATTER_TRIGGERS_MISSING', { path: SKILL_FILE })
  if (negatives.length === 0) findings.add('FRONTMATTER_NEGATIVE_TRIGGERS_MISSING', { path: SKILL_FILE })
  for (const trigger of [...given, ...negatives]) {
    if (trigger.length > 200) findings.add('FRONTMATTER_TRIGGER_TOO_LONG', { path: SKILL_FILE, note: trigger })
  }
  for (const trigger of given.filter(isBroad)) {
    findings.add('FRONTMATTER_TRIGGER_TOO_BROAD', { path: SKILL_FILE, note: trigger })
  }
  const negativeSet = new Set(negatives.map((trigger) => trigger.toLowerCase()))
  for (const trigger of given.filter((one) => negativeSet.has(one.toLowerCase()))) {
    findings.add('FRONTMATTER_TRIGGER_CONFLICT', { path: SKILL_FILE, note: trigger })
  }
  const triggers = withName(given.length === 0 ? deriveTriggers(skill) : given, skill.name)
  const derived = negatives.length === 0 ? deriveNegativeTriggers(skill) : negatives
  const wanted = new Set(triggers.map((trigger) => trigger.toLowerCase()))
  return {
    triggers: clipEntries(triggers, 200),
    negative_triggers: clipEntries(negatives.length === 0 ? derived.filter((one) => !wanted.has(one)) : derived, 200),
  }
}

const COMMON_WORDS = new Set('a an and any app do for help i it of on please the this to use with you'.split(' '))

const isBroad = (trigger: string): boolean =>
  trigger.length <= 3 || trigger.includes('*') || COMMON_WORDS.has(trigger.toLowerCase())

/** The words of the name find a skill as well as the phrases that its author chose. */
function withName(triggers: readonly string[], name: string): string[] {
  const words = name.replaceAll('-', ' ').trim()
  const isKnown = words === '' || triggers.some((trigger) => trigger.toLowerCase().includes(words))
  return isKnown || isGenericVerb(words) ? [...triggers] : [...triggers, words]
}

function readSurfaces(raw: RawFields, findings: Findings): ControlSurface[] {
  return readList(raw['preferred_control_surfaces'], /[\s,]+/).flatMap((surface) => {
    const known = parseSurface(surface)
    if (known !== undefined) return [known]
    findings.add('FRONTMATTER_CONTROL_SURFACE_UNKNOWN', { path: SKILL_FILE, note: surface })
    return []
  })
}

function readChoice<T extends string>(
  raw: RawFields,
  [key, allowed, fallback]: readonly [string, z.ZodType<T>, T],
  findings: Findings,
): T {
  const given = readText(raw[key])
  if (given === '') return fallback
  const read = allowed.safeParse(given)
  if (read.success) return read.data
  findings.add('FRONTMATTER_ENUM_INVALID', { path: SKILL_FILE, note: `${key}: ${given}` })
  return fallback
}

const GRADE_ALIASES: Readonly<Record<string, string>> = {
  adapter_needed: 'adapter_required',
  not_portable: 'non_portable',
}

function readGrade(raw: RawFields, findings: Findings): PortabilityGrade {
  const given = readText(raw['portability_grade'])
  const named = { portability_grade: GRADE_ALIASES[given] ?? given }
  return readChoice(named, ['portability_grade', PortabilityGrade, 'direct'], findings)
}

function readNamespace(raw: RawFields, findings: Findings): { assigned_namespace?: string } {
  const given = readText(raw['assigned_namespace'])
  if (given === '') return {}
  if (NAMESPACE_NAME.test(given)) return { assigned_namespace: given }
  findings.add('FRONTMATTER_NAMESPACE_INVALID', { path: SKILL_FILE, note: given })
  return {}
}
