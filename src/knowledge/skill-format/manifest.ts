import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { INPUT_NAME, SkillAgent, SkillContract } from '@apprentice/contracts/skills/skill.ts'

/** What a skill.json says beside its entry. Absent parts are promised by nobody. */
export interface SkillManifest {
  readonly agent?: SkillAgent
  readonly contract?: SkillContract
}

export type ReadManifest = { readonly manifest: SkillManifest } | { readonly reason: string }

const KEPT_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const CONTRACT_KEYS: ReadonlySet<string> = new Set(['inputs', 'goal', 'verification'])

export function readManifest(document: Readonly<Record<string, unknown>>): ReadManifest {
  const agent = readAgent(document['agent'])
  if (agent !== undefined && 'reason' in agent) return agent
  const contract = readContract(document['contract'])
  if (contract !== undefined && 'reason' in contract) return contract
  return {
    manifest: {
      ...(agent === undefined ? {} : { agent: agent.agent }),
      ...(contract === undefined ? {} : { contract: contract.contract }),
    },
  }
}

type ReadAgent = { readonly agent: SkillAgent } | { readonly reason: string } | undefined

function readAgent(value: unknown): ReadAgent {
  if (value === undefined) return undefined
  if (!isRecord(value)) return { reason: 'agent must be an object' }
  const cli = typeof value['cli'] === 'string' ? value['cli'].trim() : ''
  if (cli === '') return { reason: 'agent.cli must be a non-empty text' }
  const read = SkillAgent.safeParse({ ...value, cli })
  if (!read.success) {
    const [issue] = read.error.issues
    return { reason: `agent.${issue?.path.join('.')}: ${issue?.message}` }
  }
  if (read.data.cliPath?.trim() === '') {
    return { reason: 'agent.cliPath must be null or a non-empty text' }
  }
  return { agent: read.data }
}

type ReadContract = { readonly contract: SkillContract } | { readonly reason: string } | undefined

function readContract(value: unknown): ReadContract {
  if (value === undefined || value === null) return undefined
  if (!isRecord(value)) return { reason: 'contract must be an object' }
  const stranger = Object.keys(value).find((key) => !CONTRACT_KEYS.has(key))
  if (stranger !== undefined) return { reason: `contract has no field ${stranger}` }
  const read = SkillContract.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return { reason: `contract.${issue?.path.join('.')}: ${issue?.message}` }
  }
  const reason =
    inputsProblem(value['inputs']) ?? goalProblem(read.data) ?? matcherProblem(read.data)
  return reason === undefined ? { contract: read.data } : { reason }
}

/** As they were written: a name that is no name may already be lost in what was read. */
function inputsProblem(inputs: unknown): string | undefined {
  const names = isRecord(inputs) ? Object.keys(inputs) : []
  const name = names.find((one) => !INPUT_NAME.test(one) || KEPT_NAMES.has(one))
  return name === undefined ? undefined : `contract.inputs cannot have an input named ${name}`
}

function goalProblem({ goal }: SkillContract): string | undefined {
  if (goal === null) return undefined
  const { kind } = goal
  return typeof kind === 'string' && kind.trim() !== ''
    ? undefined
    : 'contract.goal.kind must be a non-empty text'
}

function matcherProblem({ inputs, verification }: SkillContract): string | undefined {
  if (verification === null) return undefined
  const { kind, matcher } = verification
  if (kind !== 'node_text_matches') {
    return 'contract.verification.kind must be node_text_matches'
  }
  if (matcher.trim() === '') return 'contract.verification.matcher must be a non-empty text'
  const stranger = placeholdersIn(matcher).find((name) => !Object.hasOwn(inputs, name))
  return stranger === undefined
    ? undefined
    : `contract.verification.matcher names {${stranger}}, which is no input`
}

/** The inputs a matcher is filled with. */
const placeholdersIn = (matcher: string): string[] =>
  [...matcher.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

/** Inputs whose kind nobody knows. */
export const unsupportedInputs = ({ inputs }: SkillContract): string[] =>
  Object.keys(inputs).filter((name) => inputRange(inputs[name] ?? '') === undefined)

/** `string`, or the numbers an input may be; undefined for a kind that does not exist. */
export function inputRange(
  schema: string,
): 'string' | { readonly min: number; readonly max: number } | undefined {
  if (schema === 'string') return 'string'
  if (schema === 'integer') return { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
  const [, low, high] = /^integer\[(-?\d+),(-?\d+)\]$/.exec(schema) ?? []
  if (low === undefined || high === undefined) return undefined
  const range = { min: Number(low), max: Number(high) }
  const safe = Number.isSafeInteger(range.min) && Number.isSafeInteger(range.max)
  return safe && range.min <= range.max ? range : undefined
}
