import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { INPUT_NAME, SkillAgent, SkillContract } from '@apprentice/contracts/skills/skill.ts'

/** The fields of a skill.json that are not part of its registry entry. */
export interface SkillManifest {
  readonly agent?: SkillAgent
  readonly contract?: SkillContract
}

export type ManifestResult = { readonly manifest: SkillManifest } | { readonly reason: string }

const RESERVED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])
const CONTRACT_KEYS: ReadonlySet<string> = new Set(['inputs', 'goal', 'verification'])

export function readManifest(document: Readonly<Record<string, unknown>>): ManifestResult {
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

type AgentResult = { readonly agent: SkillAgent } | { readonly reason: string } | undefined

function readAgent(value: unknown): AgentResult {
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

type ContractResult = { readonly contract: SkillContract } | { readonly reason: string } | undefined

function readContract(value: unknown): ContractResult {
  if (value === undefined || value === null) return undefined
  if (!isRecord(value)) return { reason: 'contract must be an object' }
  const unknown = Object.keys(value).find((key) => !CONTRACT_KEYS.has(key))
  if (unknown !== undefined) return { reason: `contract has no field ${unknown}` }
  const read = SkillContract.safeParse(value)
  if (!read.success) {
    const [issue] = read.error.issues
    return { reason: `contract.${issue?.path.join('.')}: ${issue?.message}` }
  }
  const reason = checkInputs(value['inputs']) ?? checkGoal(read.data) ?? checkMatcher(read.data)
  return reason === undefined ? { contract: read.data } : { reason }
}

/** Checks the names before parsing, because parsing may drop invalid names. */
function checkInputs(inputs: unknown): string | undefined {
  const names = isRecord(inputs) ? Object.keys(inputs) : []
  const name = names.find((one) => !INPUT_NAME.test(one) || RESERVED_NAMES.has(one))
  return name === undefined ? undefined : `contract.inputs cannot have an input named ${name}`
}

function checkGoal({ goal }: SkillContract): string | undefined {
  if (goal === null) return undefined
  const { kind } = goal
  return typeof kind === 'string' && kind.trim() !== '' ? undefined : 'contract.goal.kind must be a non-empty text'
}

function checkMatcher({ inputs, verification }: SkillContract): string | undefined {
  if (verification === null) return undefined
  const { kind, matcher } = verification
  if (kind !== 'node_text_matches') {
    return 'contract.verification.kind must be node_text_matches'
  }
  if (matcher.trim() === '') return 'contract.verification.matcher must be a non-empty text'
  const unknown = listPlaceholders(matcher).find((name) => !Object.hasOwn(inputs, name))
  return unknown === undefined
    ? undefined
    : `contract.verification.matcher contains {${unknown}}, which is not an input`
}

/** The inputs that a matcher refers to. */
const listPlaceholders = (matcher: string): string[] =>
  [...matcher.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name)

/** Inputs of an unknown type. */
export const listUnsupportedInputs = ({ inputs }: SkillContract): string[] =>
  Object.keys(inputs).filter((name) => parseInputRange(inputs[name] ?? '') === undefined)

/** `string`, or the range of an integer; undefined for an unknown type. */
export function parseInputRange(schema: string): 'string' | { readonly min: number; readonly max: number } | undefined {
  if (schema === 'string') return 'string'
  if (schema === 'integer') return { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
  const [, low, high] = /^integer\[(-?\d+),(-?\d+)\]$/.exec(schema) ?? []
  if (low === undefined || high === undefined) return undefined
  const range = { min: Number(low), max: Number(high) }
  const safe = Number.isSafeInteger(range.min) && Number.isSafeInteger(range.max)
  return safe && range.min <= range.max ? range : undefined
}
