import type { z } from 'zod'
import type { ControlSurface } from '@apprentice/contracts/learn/observation.ts'
import {
  CostClass,
  namespaceName,
  PortabilityGrade,
  PortableFrontmatter,
  skillName,
} from '@apprentice/contracts/skills/import-record.ts'
import { clip, distinct, firstSentence, oneLine } from '../text/plain-text.ts'
import { surfaceMeant } from './control-surfaces.ts'
import { readFields } from '../markdown/fields.ts'
import type { Findings } from './findings.ts'

type Raw = Readonly<Record<string, unknown>>

export interface HeaderContext {
  readonly body: string
  /** The folder SKILL.md lies in, when it is not the top of the archive. */
  readonly folder?: string | undefined
}

export interface ReadFrontmatter {
  /** Absent when it cannot be made good. */
  readonly frontmatter?: PortableFrontmatter | undefined
  readonly skill_name?: string | undefined
  readonly skill_pack?: string | undefined
  readonly licensed: boolean
}

const path = 'SKILL.md'

/** The fields of a header. Never throws; what is wrong is found. */
export function readHeader(header: string | undefined, findings: Findings): Raw | undefined {
  if (header === undefined) {
    findings.add('FRONTMATTER_MISSING', { path })
    return undefined
  }
  const read = readFields(header)
  if ('fields' in read) return read.fields
  const code = read.why === 'unsafe' ? 'FRONTMATTER_UNSAFE_YAML' : 'FRONTMATTER_UNPARSABLE'
  const note = read.why === 'too_long' ? read.problems[0]?.message : undefined
  findings.add(code, { path, note })
  return undefined
}

/** Reads a header however it is spelled, fills in what can be told from elsewhere, and checks the outcome. */
export function normaliseFrontmatter(
  given: Raw,
  { body, folder }: HeaderContext,
  findings: Findings,
): ReadFrontmatter {
  const raw = withOwnKeys(given, findings)
  const name = nameOf(raw, folder, findings)
  const description = descriptionOf(raw, findings)
  if (raw['schema_version'] !== undefined && words(raw['schema_version']) !== '1') {
    findings.add('FRONTMATTER_SCHEMA_VERSION_UNSUPPORTED', { path })
  }
  const read = {
    name,
    title: titleOf(raw, name, { body, findings }),
    description,
    version: versionOf(raw, findings),
    ...triggersOf(raw, description, findings),
    ...listsOf(raw),
    preferred_control_surfaces: surfacesOf(raw, findings),
    estimated_cost_class: choice(raw, ['estimated_cost_class', CostClass, 'unknown'], findings),
    ...namespaceOf(raw, findings),
    portability_grade: gradeOf(raw, findings),
    schema_version: 1,
  }
  const checked = PortableFrontmatter.safeParse(read)
  const pack = words(raw['skill_pack'])
  return {
    frontmatter: checked.success ? checked.data : undefined,
    skill_name: name,
    skill_pack: pack === '' ? undefined : pack.slice(0, 64),
    licensed: raw['license'] !== undefined || raw['licence'] !== undefined,
  }
}

/** Read for something else, or kept for whoever wrote them. */
const others = 'skill_pack tags license licence metadata compatibility author'
const known = new Set([...Object.keys(PortableFrontmatter.shape), ...others.split(' ')])

function withOwnKeys(given: Raw, findings: Findings): Raw {
  const out: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(given)) {
    const own = key
      .trim()
      .toLowerCase()
      .replaceAll(/[-\s]+/g, '_')
    if (own === '__proto__') continue
    if (own !== key) findings.add('FRONTMATTER_KEY_NORMALIZED', { path, note: key })
    if (!known.has(own)) findings.add('FRONTMATTER_KEY_UNKNOWN', { path, note: key })
    // The spelling that is already right wins over one that is not.
    if (!(own in out) || own === key) out[own] = value
  }
  return out
}

const words = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? oneLine(String(value), 4000) : ''

function nameOf(raw: Raw, folder: string | undefined, findings: Findings): string | undefined {
  const name = words(raw['name'])
  if (name === '') {
    findings.add('FRONTMATTER_NAME_MISSING', { path })
    return undefined
  }
  if (!skillName.test(name)) {
    findings.add('FRONTMATTER_NAME_INVALID', { path, note: clip(name, 80) })
    return undefined
  }
  if (folder !== undefined && folder !== name) {
    findings.add('FRONTMATTER_NAME_DIR_MISMATCH', { path, note: folder })
  }
  return name
}

function descriptionOf(raw: Raw, findings: Findings): string {
  const full = words(raw['description'])
  if (full === '') findings.add('FRONTMATTER_DESCRIPTION_MISSING', { path })
  else if (!/\b(?:when|whenever|if|for|use)\b/i.test(full)) {
    findings.add('FRONTMATTER_DESCRIPTION_NO_WHEN', { path })
  }
  if (full.length > 500) findings.add('FRONTMATTER_DESCRIPTION_TOO_LONG', { path })
  return clip(full, 500)
}

function titleOf(
  raw: Raw,
  name: string | undefined,
  { body, findings }: { body: string; findings: Findings },
): string {
  const given = words(raw['title'])
  if (given !== '') return clip(given, 120)
  findings.add('FRONTMATTER_TITLE_DEFAULTED', { path })
  const heading = oneLine(/^#[ \t]+(.{1,400})$/m.exec(body)?.[1] ?? '', 120)
  return heading === '' ? (name ?? 'skill').replaceAll('-', ' ') : heading
}

function versionOf(raw: Raw, findings: Findings): string {
  const given = clip(words(raw['version']), 32)
  if (given === '') {
    findings.add('FRONTMATTER_VERSION_DEFAULTED', { path })
    return '1.0.0'
  }
  if (!/^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(given)) {
    findings.add('FRONTMATTER_VERSION_NOT_SEMVER', { path, note: given })
  }
  return given
}

/** As `words`, with its line breaks. */
const lines = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Lists as lists, or as words between commas, lines or blanks. */
function list(value: unknown, between: RegExp = /[,\n]/): string[] {
  const parts = Array.isArray(value) ? value.map(words) : lines(value).split(between)
  return distinct(parts.map((part) => oneLine(part, 400))).slice(0, 100)
}

/** Tools are named with or without commas between them; brackets may hold blanks. */
function tools(value: unknown): string[] {
  if (typeof value !== 'string') return list(value)
  return distinct(value.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []).slice(0, 100)
}

const cut = (entries: readonly string[], max: number): string[] =>
  distinct(entries.map((entry) => clip(entry, max)))

const listsOf = (raw: Raw) => ({
  allowed_tools: cut(tools(raw['allowed_tools']), 80),
  support_packs: cut(list(raw['support_packs'], /[\s,]+/), 120),
  connector_hints: cut(list(raw['connector_hints'], /[\s,]+/), 120),
  depends_on: cut(list(raw['depends_on'], /[\s,]+/), 80),
})

function triggersOf(raw: Raw, description: string, findings: Findings) {
  const given = list(raw['triggers'])
  const negatives = list(raw['negative_triggers'])
  if (given.length === 0) findings.add('FRONTMATTER_TRIGGERS_MISSING', { path })
  if (negatives.length === 0) findings.add('FRONTMATTER_NEGATIVE_TRIGGERS_MISSING', { path })
  for (const trigger of [...given, ...negatives]) {
    if (trigger.length > 200) findings.add('FRONTMATTER_TRIGGER_TOO_LONG', { path, note: trigger })
  }
  for (const trigger of given.filter(isBroad)) {
    findings.add('FRONTMATTER_TRIGGER_TOO_BROAD', { path, note: trigger })
  }
  const refused = new Set(negatives.map((trigger) => trigger.toLowerCase()))
  for (const trigger of given.filter((one) => refused.has(one.toLowerCase()))) {
    findings.add('FRONTMATTER_TRIGGER_CONFLICT', { path, note: trigger })
  }
  return {
    triggers: cut(given.length === 0 ? synthesised(description) : given, 200),
    negative_triggers: cut(negatives, 200),
  }
}

const everyday = new Set(
  'a an and any app do for help i it of on please the this to use with you'.split(' '),
)

const isBroad = (trigger: string): boolean =>
  trigger.length <= 3 || trigger.includes('*') || everyday.has(trigger.toLowerCase())

/** What the skill does, and each case it says it is for. */
function synthesised(description: string): string[] {
  const [what = ''] = description.split(/\b(?:use (?:this )?(?:skill )?when|use for)\b:?/i)
  const cases = /\b(?:when|whenever)\b:?\s+(.+)$/i.exec(description)?.[1] ?? ''
  const said = [firstSentence(what), ...cases.split(/[;,]|\bor\b/)].map((one) =>
    oneLine(one.replace(/^(?:the user|you|asked|asks|wants|needs|to)\b/i, ''), 200),
  )
  const kept = distinct(said.filter((one) => one.length > 3)).slice(0, 5)
  return kept.length > 0 ? kept : description === '' ? [] : [clip(description, 200)]
}

function surfacesOf(raw: Raw, findings: Findings): ControlSurface[] {
  return list(raw['preferred_control_surfaces'], /[\s,]+/).flatMap((surface) => {
    const meant = surfaceMeant(surface)
    if (meant !== undefined) return [meant]
    findings.add('FRONTMATTER_CONTROL_SURFACE_UNKNOWN', { path, note: surface })
    return []
  })
}

function choice<T extends string>(
  raw: Raw,
  [key, allowed, otherwise]: readonly [string, z.ZodType<T>, T],
  findings: Findings,
): T {
  const given = words(raw[key])
  if (given === '') return otherwise
  const read = allowed.safeParse(given)
  if (read.success) return read.data
  findings.add('FRONTMATTER_ENUM_INVALID', { path, note: `${key}: ${given}` })
  return otherwise
}

const olderGrades: Readonly<Record<string, string>> = {
  adapter_needed: 'adapter_required',
  not_portable: 'non_portable',
}

function gradeOf(raw: Raw, findings: Findings): PortabilityGrade {
  const given = words(raw['portability_grade'])
  const named = { portability_grade: olderGrades[given] ?? given }
  return choice(named, ['portability_grade', PortabilityGrade, 'direct'], findings)
}

function namespaceOf(raw: Raw, findings: Findings): { assigned_namespace?: string } {
  const given = words(raw['assigned_namespace'])
  if (given === '') return {}
  if (namespaceName.test(given)) return { assigned_namespace: given }
  findings.add('FRONTMATTER_NAMESPACE_INVALID', { path, note: given })
  return {}
}
