import type {
  SceneAnalysis,
  SceneControl,
  SceneDictionary,
  SceneRequest,
  SceneRequestParameter,
  SceneValueSource,
} from '@apprentice/contracts/scenes/analysis.ts'
import type { SceneAnswers } from '@apprentice/contracts/scenes/generation.ts'

/** A parameter of the scene that gives the value of one or two controls. */
export interface BoundParam {
  readonly name: string
  readonly label: string
  readonly resolver: 'dictionary_entity' | 'month_week_period' | 'literal_passthrough'
  readonly config: Readonly<Record<string, unknown>>
  readonly dictionary?: SceneDictionary
  /** Arguments of the script for the example. */
  readonly example_args: Readonly<Record<string, unknown>>
  /** How the example is said in an instruction. */
  readonly example: string
  /** The expression of the script for the value of each control. */
  readonly values: ReadonlyMap<string, ControlValue>
}

export interface ControlValue {
  readonly code: string
  readonly example: string
}

/** The parameters of a scene for the controls of its request. A control that cannot be bound is left out. */
export function bindParams(request: SceneRequest, analysis: SceneAnalysis, answers: SceneAnswers): BoundParam[] {
  const keys = listControls(request)
  const range = findRange(request, analysis)
  const single = keys.filter((key) => range === undefined || !range.includes(key))
  const bound = single.flatMap((key) => bindControl(key, analysis, answers) ?? [])
  return range === undefined ? bound : [...bound, bindRange(range)]
}

/** The controls whose values a request sends, in the order of its parameters. */
export function listControls({ parameters }: SceneRequest): string[] {
  const sources = parameters.filter(({ role }) => role !== 'page').flatMap(({ source }) => listSimple(source))
  return [...new Set(sources.flatMap((one) => (one.kind === 'control' ? [one.control] : [])))]
}

export const listSimple = (source: SceneValueSource): SceneValueSource[] =>
  source.kind === 'composed' ? source.parts : [source]

const STARTS = ['start', 'begin', 'from']
const ENDS = ['end', 'to']

/** Two fields for days that are sent as the start and the end of a period. */
function findRange({ parameters }: SceneRequest, { controls }: SceneAnalysis): [string, string] | undefined {
  const days = parameters.flatMap(({ name, source }) => {
    const control = source.kind === 'control' ? controls.find(({ key }) => key === source.control) : undefined
    return control?.kind === 'date' ? [{ name: name.toLowerCase(), key: control.key }] : []
  })
  const starts = days.filter(({ name }) => STARTS.some((word) => name.startsWith(word)))
  const ends = days.filter(({ name }) => ENDS.some((word) => name.startsWith(word)))
  const [start, end] = [starts[0]?.key, ends[0]?.key]
  if (days.length !== 2 || start === undefined || end === undefined || start === end) return undefined
  return [start, end]
}

const MONTH = { mode: 'month', start: '2026-03-01', end: '2026-03-31', label: '2026-03' } as const
const DAY = '2026-03-14'
const DAY_PATTERN = String.raw`\d{4}-\d{2}-\d{2}`

const bindRange = ([start, end]: [string, string]): BoundParam => ({
  name: 'period',
  label: 'period',
  resolver: 'month_week_period',
  config: {},
  example_args: { period: MONTH },
  example: MONTH.label,
  values: new Map([
    [start, { code: 'args.period.start', example: MONTH.start }],
    [end, { code: 'args.period.end', example: MONTH.end }],
  ]),
})

function bindControl(key: string, analysis: SceneAnalysis, answers: SceneAnswers): BoundParam | undefined {
  const control = analysis.controls.find((one) => one.key === key)
  const answer = answers.params?.[key]
  const common = { name: toParamName(key), label: control?.label ?? key }
  const dictionary = analysis.dictionaries.find((one) =>
    answer?.dictionary === undefined ? one.control === key : one.name === answer.dictionary,
  )
  if (dictionary !== undefined) return bindDictionary(common, key, dictionary)
  if (answer?.pattern !== undefined) {
    return bindLiteral(common, key, { pattern: answer.pattern, example: answer.example ?? '' })
  }
  return bindDate(common, control)
}

type Common = Pick<BoundParam, 'name' | 'label'>

function bindDictionary({ name, label }: Common, key: string, dictionary: SceneDictionary): BoundParam | undefined {
  const [first] = dictionary.entries
  if (first === undefined) return undefined
  const fields = { output_label_field: `${name}_label`, output_code_field: `${name}_code` }
  return {
    name,
    label,
    resolver: 'dictionary_entity',
    config: { dictionary_ref: `references/${name}-dictionary.json`, ...fields },
    dictionary,
    example_args: { [`${name}_label`]: first.label, [`${name}_code`]: first.code },
    example: first.label,
    values: new Map([[key, { code: `args.${name}_code`, example: first.code }]]),
  }
}

const bindLiteral = (
  common: Common,
  key: string,
  { pattern, example }: { readonly pattern: string; readonly example: string },
): BoundParam => ({
  ...common,
  resolver: 'literal_passthrough',
  config: { pattern, ...(example === '' ? {} : { examples: [example] }) },
  example_args: { [common.name]: example },
  example,
  values: new Map([[key, { code: `args.${common.name}`, example }]]),
})

function bindDate(common: Common, control: SceneControl | undefined): BoundParam | undefined {
  if (control?.kind === 'date') return bindLiteral(common, control.key, { pattern: DAY_PATTERN, example: DAY })
  if (control?.kind !== 'month') return undefined
  return {
    ...common,
    resolver: 'month_week_period',
    config: { modes: ['month'] },
    example_args: { [common.name]: MONTH },
    example: MONTH.label,
    values: new Map([[control.key, { code: `args.${common.name}.start.slice(0, 7)`, example: '2026-03' }]]),
  }
}

function toParamName(key: string): string {
  const plain = key
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .join('_')
    .slice(0, 50)
  return /^[A-Za-z]/.test(plain) && !['constructor', 'prototype'].includes(plain) ? plain : `value_${plain}`
}

/** A value of the request as an expression of the script, and what it is for the example. */
export interface BoundValue {
  readonly parameter: SceneRequestParameter
  readonly code: string
  /** Absent if it is only known in the page. */
  readonly example?: string
  /** The value is a number or a boolean, and a JSON body has it as such. */
  readonly is_raw?: boolean
}

export interface UnboundValue {
  readonly parameter: SceneRequestParameter
  readonly source: SceneValueSource
}

/** The values of a request that are bound, and those that are not. */
export function bindValues(
  { parameters }: SceneRequest,
  params: readonly BoundParam[],
  constants: Readonly<Record<string, string>>,
): { readonly bound: readonly BoundValue[]; readonly unbound: readonly UnboundValue[] } {
  const bound: BoundValue[] = []
  const unbound: UnboundValue[] = []
  for (const parameter of parameters) {
    const given = constants[parameter.name]
    const source: SceneValueSource = given === undefined ? parameter.source : { kind: 'constant', value: given }
    const parts = listSimple(source).map((part) => bindPart(part, params))
    const failed = parts.findIndex((part) => part === undefined)
    if (parameter.role === 'page') bound.push({ parameter, ...bindPage(source) })
    else if (failed !== -1) unbound.push({ parameter, source: listSimple(source)[failed] ?? source })
    else bound.push({ parameter, ...joinParts(parts.filter((part) => part !== undefined)) })
  }
  return { bound, unbound }
}

type PartValue = Pick<BoundValue, 'code' | 'example' | 'is_raw'>

const bindPage = (source: SceneValueSource): PartValue =>
  source.kind === 'constant' && source.type === undefined
    ? { code: 'String(page)', example: '1' }
    : { code: 'page', example: '1', is_raw: true }

function bindPart(part: SceneValueSource, params: readonly BoundParam[]): PartValue | undefined {
  switch (part.kind) {
    case 'constant':
      return part.type === undefined
        ? { code: JSON.stringify(part.value), example: part.value }
        : { code: part.value, example: part.value, is_raw: true }
    case 'control':
      return params.map(({ values }) => values.get(part.control)).find((one) => one !== undefined)
    case 'page_state':
      return { code: toStateCode(part) }
    case 'clock':
    case 'composed':
    case 'unknown':
      return undefined
  }
}

function toStateCode({ store, key }: Extract<SceneValueSource, { kind: 'page_state' }>): string {
  const name = JSON.stringify(key)
  if (store === 'local_storage') return `readState(() => localStorage.getItem(${name}))`
  if (store === 'session_storage') return `readState(() => sessionStorage.getItem(${name}))`
  if (store === 'cookie') return 'readState(() => document.cookie)'
  const selector = store === 'meta' ? `meta[name=${name}]` : ''
  return `readState(() => document.querySelector(${JSON.stringify(selector)})?.content)`
}

function joinParts(parts: readonly PartValue[]): PartValue {
  const [first, ...more] = parts
  if (first !== undefined && more.length === 0) return first
  const code = `[${parts.map((part) => part.code).join(', ')}].join('')`
  const examples = parts.map(({ example }) => example)
  return examples.includes(undefined) ? { code } : { code, example: examples.join('') }
}
