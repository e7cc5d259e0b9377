import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type * as declared from '@apprentice/contracts/skills/skill.ts'
import { parseInputRange, readManifest as readDocument } from '../skill-format/manifest.ts'

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

/** The parts of `skill.json` that a run uses. */
export interface SkillManifest {
  readonly agent?: SkillAgent | undefined
  readonly contract?: SkillContract | undefined
}

export class ManifestError extends Error {}

export function readRunManifest(document: unknown): SkillManifest {
  if (!isRecord(document)) throw new ManifestError('skill.json is not an object')
  const read = readDocument({ ...document, contract: addContractDefaults(document['contract']) })
  if ('reason' in read) throw new ManifestError(read.reason)
  const { agent, contract } = read.manifest
  return {
    ...(agent === undefined ? {} : { agent: { ...agent, cliPath: agent.cliPath ?? undefined } }),
    ...(contract === undefined ? {} : { contract: readContract(contract) }),
  }
}

/** A run treats missing fields of a contract as null. */
const addContractDefaults = (contract: unknown): unknown =>
  isRecord(contract) ? { goal: null, verification: null, ...contract } : contract

function readContract({ inputs, verification }: declared.SkillContract): SkillContract {
  return {
    inputs: new Map(Object.entries(inputs).map(readInput)),
    ...(verification === null ? {} : { verification: { kind: 'node_text_matches', matcher: verification.matcher } }),
  }
}

function readInput([name, schema]: [string, string]): [string, InputSchema] {
  const range = parseInputRange(schema)
  if (range === undefined) {
    throw new ManifestError(`contract.inputs.${name} has no known schema`)
  }
  return [name, range === 'string' ? { type: 'string' } : { type: 'integer', ...range }]
}

/** Replaces `{name}` in a matcher by the input of that name. */
export const fillMatcher = (matcher: string, values: ReadonlyMap<string, string | number>): string =>
  matcher.replaceAll(/\{([^{}]*)\}/g, (_all, name: string) => String(values.get(name) ?? ''))
