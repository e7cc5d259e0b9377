import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import type * as declared from '@apprentice/contracts/skills/skill.ts'
import { inputRange, readManifest as readDocument } from '../skill-format/manifest.ts'

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

export function readManifest(document: unknown): SkillManifest {
  if (!isRecord(document)) throw new ManifestProblem('skill.json is not an object')
  const read = readDocument({ ...document, contract: whole(document['contract']) })
  if ('reason' in read) throw new ManifestProblem(read.reason)
  const { agent, contract } = read.manifest
  return {
    ...(agent === undefined ? {} : { agent: { ...agent, cliPath: agent.cliPath ?? undefined } }),
    ...(contract === undefined ? {} : { contract: readContract(contract) }),
  }
}

/** What a contract leaves out it does not promise, which to a run is as good as saying so. */
const whole = (contract: unknown): unknown =>
  isRecord(contract) ? { goal: null, verification: null, ...contract } : contract

function readContract({ inputs, verification }: declared.SkillContract): SkillContract {
  return {
    inputs: new Map(Object.entries(inputs).map(readInput)),
    ...(verification === null
      ? {}
      : { verification: { kind: 'node_text_matches', matcher: verification.matcher } }),
  }
}

function readInput([name, schema]: [string, string]): [string, InputSchema] {
  const range = inputRange(schema)
  if (range === undefined) {
    throw new ManifestProblem(`contract.inputs.${name} has no known schema`)
  }
  return [name, range === 'string' ? { type: 'string' } : { type: 'integer', ...range }]
}

/** The matcher with its inputs put in. */
export const fillMatcher = (
  matcher: string,
  values: ReadonlyMap<string, string | number>,
): string =>
  matcher.replaceAll(/\{([^{}]*)\}/g, (_all, name: string) => String(values.get(name) ?? ''))
