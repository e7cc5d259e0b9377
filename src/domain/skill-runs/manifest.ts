/** The parts of `skill.json` a run goes by. */
export interface SkillAgent {
  readonly cli: string
  readonly cliPath?: string | undefined
  readonly timeoutMs?: number | undefined
}

export type InputSchema =
  | { readonly type: 'string' }
  | { readonly type: 'integer'; readonly min: number; readonly max: number }

export interface DeclaredVerification {
  readonly kind: 'node_text_matches'
  readonly matcher: string
}

export interface SkillContract {
  readonly inputs: ReadonlyMap<string, InputSchema>
  readonly verification?: DeclaredVerification | undefined
}

export interface SkillManifest {
  readonly agent?: SkillAgent | undefined
  readonly contract?: SkillContract | undefined
}

/** What is wrong with a manifest, in words. */
export class ManifestProblem extends Error {}

type Fields = Readonly<Record<string, unknown>>

export function readManifest(document: unknown): SkillManifest {
  if (!isObject(document)) throw new ManifestProblem('skill.json is not an object')
  const { agent, contract } = document
  return {
    ...(agent === undefined ? {} : { agent: readAgent(agent) }),
    ...(contract === undefined || contract === null ? {} : { contract: readContract(contract) }),
  }
}

function readAgent(agent: unknown): SkillAgent {
  if (!isObject(agent)) throw new ManifestProblem('agent must be an object')
  const { cli, cliPath, timeoutMs } = agent
  if (typeof cli !== 'string' || cli.trim() === '') {
    throw new ManifestProblem('agent.cli must name a program')
  }
  const named = cliPath !== undefined && cliPath !== null
  if (named && (typeof cliPath !== 'string' || cliPath.trim() === '')) {
    throw new ManifestProblem('agent.cliPath must be null or a path')
  }
  const timed = timeoutMs !== undefined
  if (timed && !(Number.isSafeInteger(timeoutMs) && Number(timeoutMs) >= 1)) {
    throw new ManifestProblem('agent.timeoutMs must be a positive integer')
  }
  return {
    cli: cli.trim(),
    ...(named ? { cliPath } : {}),
    ...(timed ? { timeoutMs: Number(timeoutMs) } : {}),
  }
}

const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

function readContract(contract: unknown): SkillContract {
  if (!isObject(contract)) throw new ManifestProblem('contract must be an object')
  const { inputs, goal, verification } = contract
  if (!isObject(inputs)) throw new ManifestProblem('contract.inputs must be an object')
  const declared = new Map(Object.entries(inputs).map(readInput))
  if (goal !== null && goal !== undefined && !(isObject(goal) && isText(goal['kind']))) {
    throw new ManifestProblem('contract.goal must be null or have a kind')
  }
  const wanted = readVerification(verification, declared)
  return { inputs: declared, ...(wanted === undefined ? {} : { verification: wanted }) }
}

function readInput([name, schema]: [string, unknown]): [string, InputSchema] {
  if (!/^[A-Za-z0-9_]+$/.test(name) || forbiddenNames.has(name)) {
    throw new ManifestProblem(`contract.inputs.${name} is no name for an input`)
  }
  const read = typeof schema === 'string' ? readSchema(schema) : undefined
  if (read === undefined) throw new ManifestProblem(`contract.inputs.${name} has no known schema`)
  return [name, read]
}

function readSchema(schema: string): InputSchema | undefined {
  if (schema === 'string') return { type: 'string' }
  const whole = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
  if (schema === 'integer') return { type: 'integer', ...whole }
  const range = /^integer\[(-?\d+),(-?\d+)\]$/.exec(schema)
  if (range === null) return undefined
  const [min, max] = [Number(range[1]), Number(range[2])]
  const fits = Number.isSafeInteger(min) && Number.isSafeInteger(max) && min <= max
  return fits ? { type: 'integer', min, max } : undefined
}

function readVerification(
  verification: unknown,
  inputs: ReadonlyMap<string, InputSchema>,
): DeclaredVerification | undefined {
  if (verification === null || verification === undefined) return undefined
  const fits =
    isObject(verification) &&
    verification['kind'] === 'node_text_matches' &&
    isText(verification['matcher'])
  if (!fits) {
    throw new ManifestProblem('contract.verification must be null or a node_text_matches matcher')
  }
  const matcher = String(verification['matcher'])
  const unknown = placeholdersOf(matcher).find((name) => !inputs.has(name))
  if (unknown !== undefined) {
    throw new ManifestProblem(`contract.verification.matcher names ${unknown}, which is no input`)
  }
  return { kind: 'node_text_matches', matcher }
}

const placeholder = /\{([^{}]*)\}/g

const placeholdersOf = (matcher: string): string[] =>
  [...matcher.matchAll(placeholder)].map(([, name = '']) => name)

/** The matcher with its inputs put in. */
export const fillMatcher = (
  matcher: string,
  values: ReadonlyMap<string, string | number>,
): string => matcher.replaceAll(placeholder, (_all, name: string) => String(values.get(name) ?? ''))

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== ''

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
