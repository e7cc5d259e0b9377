import { type AnyNode, parseExpressionAt } from 'acorn'
import { full } from 'acorn-walk'
import type { SceneControl, SceneDictionary, SceneEvidence } from '@apprentice/contracts/scenes/analysis.ts'
import { SCENARIO_LIMITS, type ScenarioFile, toEvidence, type Uncertainties } from '../source/scenario.ts'
import type { Bindings } from '../script/bindings.ts'
import { findElement, readQueryTarget } from '../script/element-lookup.ts'
import { contains, findProperty, readLiteral } from '../script/node-shape.ts'
import { locateNode, type ScriptUnit } from '../script/read-script.ts'

type Entry = SceneDictionary['entries'][number]

const LABEL_KEYS = ['label', 'name', 'text', 'title', 'orgName', 'orgname', 'unitName', 'deptName', 'caption']
const CODE_KEYS = ['code', 'value', 'id', 'orgNo', 'orgno', 'orgCode', 'unitCode', 'deptCode', 'key']
const MIN_ENTRIES = 2

/** Lists of names with codes: in JSON files, in scripts, and as choices of the page. */
export function findDictionaries(
  { files, bindings, controls }: { files: readonly JsonFile[]; bindings: Bindings; controls: readonly SceneControl[] },
  uncertainties: Uncertainties,
): SceneDictionary[] {
  const found = [
    ...files.flatMap(readJsonDictionary),
    ...bindings.units.flatMap((unit) => listScriptDictionaries(bindings, unit)),
    ...controls.filter(({ options }) => options.length >= MIN_ENTRIES).map(toSelectDictionary),
  ].slice(0, SCENARIO_LIMITS.tables)
  const linked = linkToControls(boundEntries(found, uncertainties), { files, bindings, controls })
  for (const one of linked) reportConflicts(one, uncertainties)
  return linked
}

/** The first dictionaries that together do not have too many entries. */
function boundEntries(found: readonly SceneDictionary[], uncertainties: Uncertainties): SceneDictionary[] {
  let total = 0
  return found.filter(({ name, entries, evidence }) => {
    total += entries.length
    if (total <= SCENARIO_LIMITS.entries_together) return true
    const message = `The dictionary ${name} was left out: all together may have ${SCENARIO_LIMITS.entries_together} entries.`
    uncertainties.add('limit_reached', message, { evidence })
    return false
  })
}

export interface JsonFile {
  readonly path: string
  readonly text: string
  readonly value: unknown
}

/** The JSON files of a scenario. One that cannot be read is recorded. */
export function readJsonFiles(files: readonly ScenarioFile[], uncertainties: Uncertainties): JsonFile[] {
  return files.flatMap(({ path, text }) => {
    if (text === undefined) return []
    try {
      return [{ path, text, value: JSON.parse(text) as unknown }]
    } catch {
      const line = findErrorLine(text)
      const evidence = [toEvidence(path, line, text.split('\n')[line - 1] ?? '')]
      uncertainties.add('data_invalid', 'The file is not valid JSON.', { evidence })
      return []
    }
  })
}

const JSON_NODES = new Set(['ObjectExpression', 'ArrayExpression', 'Property', 'Literal', 'UnaryExpression'])

/** The line of the first error. JSON is read as an expression of JavaScript, because its errors have a place. */
function findErrorLine(text: string): number {
  try {
    const lines: number[] = []
    full(parseExpressionAt(text, 0, { ecmaVersion: 'latest', locations: true }), ({ type, loc }) => {
      if (!JSON_NODES.has(type)) lines.push(loc?.start.line ?? 1)
    })
    return lines.length === 0 ? 1 : Math.min(...lines)
  } catch (error) {
    return (error as { loc?: { line: number } }).loc?.line ?? 1
  }
}

/** The lists of objects in a JSON value, with the path to each. It does not recurse deeper than a bound. */
export function listObjectLists(
  value: unknown,
  path: readonly string[] = [],
): { readonly path: string; readonly rows: readonly Record<string, unknown>[] }[] {
  if (path.length > SCENARIO_LIMITS.depth || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) {
    const rows = value.filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
    return rows.length > 0 && rows.length === value.length ? [{ path: path.join('.'), rows }] : []
  }
  return Object.entries(value).flatMap(([key, inner]) => listObjectLists(inner, [...path, key]))
}

function readJsonDictionary({ path, text, value }: JsonFile): SceneDictionary[] {
  return listObjectLists(value).flatMap(({ rows }) => {
    const entries = toEntries(rows.map((row) => (keys) => readField(row, keys)))
    // Rows of a report have many more fields than a name and a code.
    const isWide = rows.some((row) => Object.keys(row).length > 5)
    if (entries === undefined || isWide) return []
    const evidence = [toEvidence(path, 1, text)]
    return [{ name: toName(path), origin: 'json' as const, entries, evidence }]
  })
}

const readField = (row: Record<string, unknown>, keys: readonly string[]): string | undefined => {
  const key = keys.find((one) => typeof row[one] === 'string' || typeof row[one] === 'number')
  return key === undefined ? undefined : String(row[key])
}

const toName = (path: string): string => (path.split('/').at(-1) ?? path).replace(/\.json$/i, '').slice(0, 200)

function listScriptDictionaries(bindings: Bindings, unit: ScriptUnit): SceneDictionary[] {
  return bindings.list().flatMap((binding) => {
    const [list] = binding.values
    if (binding.unit !== unit || list?.type !== 'ArrayExpression') return []
    const entries = toEntries(
      list.elements.map(
        (element) => (keys) => readLiteral(keys.map((key) => findProperty(element, key)).find(Boolean)),
      ),
    )
    if (entries === undefined) return []
    return [
      { name: binding.name.slice(0, 200), origin: 'script' as const, entries, evidence: [locateNode(unit, list)] },
    ]
  })
}

type FieldReader = (keys: readonly string[]) => string | undefined

/** Entries of a list of which each element has a label and a code. */
function toEntries(readers: readonly FieldReader[]): Entry[] | undefined {
  if (readers.length < MIN_ENTRIES) return undefined
  const entries = readers
    .slice(0, SCENARIO_LIMITS.entries)
    .map((read) => ({ label: read(LABEL_KEYS), code: read(CODE_KEYS) }))
  const complete = entries.filter((one): one is Entry => one.label !== undefined && one.code !== undefined)
  if (complete.length < readers.length && complete.length < SCENARIO_LIMITS.entries) return undefined
  return complete.map(({ label, code }) => ({ label: label.slice(0, 200), code: code.slice(0, 200) }))
}

const toSelectDictionary = ({ key, options, evidence }: SceneControl): SceneDictionary => ({
  name: key,
  origin: 'select',
  control: key,
  entries: options,
  evidence: [evidence],
})

interface LinkDeps {
  readonly files: readonly JsonFile[]
  readonly bindings: Bindings
  readonly controls: readonly SceneControl[]
}

/** Finds the control that a script fills with a dictionary: both are named in one statement. */
function linkToControls(found: readonly SceneDictionary[], { bindings, controls }: LinkDeps): SceneDictionary[] {
  const empty = new Set(controls.filter(({ options }) => options.length === 0).map(({ key }) => key))
  return found.map((dictionary) => {
    if (dictionary.origin === 'select') return dictionary
    const links = bindings.units.flatMap((unit) => findLinks(bindings, unit, dictionary))
    const targets = new Map(links.filter(({ control }) => empty.has(control)).map((one) => [one.control, one.evidence]))
    const [first, ...more] = targets
    if (first === undefined || more.length > 0) return dictionary
    return { ...dictionary, control: first[0], evidence: [...dictionary.evidence, first[1]] }
  })
}

interface Link {
  readonly control: string
  readonly evidence: SceneEvidence
}

function findLinks(bindings: Bindings, unit: ScriptUnit, { name, origin }: SceneDictionary): Link[] {
  const isNamed = (node: AnyNode): boolean =>
    origin === 'script'
      ? node.type === 'Identifier' && node.name === name
      : (readLiteral(node)?.split(/[/?]/).includes(`${name}.json`) ?? false)
  const named = unit.nodes.filter(isNamed)
  return named.flatMap((node) => findNearestLinks(bindings, unit, node))
}

/** The controls in the smallest statement around a name that has any. */
function findNearestLinks(bindings: Bindings, unit: ScriptUnit, name: AnyNode): Link[] {
  const around = unit.nodes.filter(
    (node) => (node.type === 'ExpressionStatement' || node.type === 'ForOfStatement') && contains(node, name),
  )
  for (const statement of around.toReversed()) {
    const links = unit.nodes
      .filter((node) => contains(statement, node))
      .flatMap((node) => {
        const control = findElement(bindings, { unit, node }) ?? readQueryTarget(node)
        return control === undefined ? [] : [{ control, evidence: locateNode(unit, statement) }]
      })
    if (links.length > 0) return links
  }
  return []
}

function reportConflicts({ entries, evidence, name }: SceneDictionary, uncertainties: Uncertainties): void {
  const codes = new Map<string, Set<string>>()
  for (const { label, code } of entries) codes.set(label, (codes.get(label) ?? new Set()).add(code))
  for (const [label, set] of codes) {
    if (set.size < 2) continue
    const message = `${label} has several codes in ${name}: ${[...set].join(', ')}.`
    uncertainties.add('dictionary_conflict', message, { evidence })
  }
}
