import { getSkillText, listAvailability } from '@apprentice/contracts/abilities/availability.ts'
import { ApiFailure, type Call } from '@apprentice/contracts/client.ts'
import { getCurrentRuntime, type LearningRuntimeSnapshot } from '@apprentice/contracts/learn/runtime.ts'

export const AVAILABILITY_URI = 'apprentice://availability'
export const RUNTIME_URI = 'apprentice://runtime'
const SKILL_URI = /^apprentice:\/\/abilities\/([^/]+)\/SKILL\.md$/
const PAGE_SIZE = 100

export const formatSkillUri = (abilityId: string): string => `apprentice://abilities/${abilityId}/SKILL.md`

interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
}

const SNAPSHOTS: readonly Resource[] = [
  {
    uri: AVAILABILITY_URI,
    name: 'availability',
    title: 'Availability of abilities',
    description: 'All abilities that you may see, and whether each can be used now.',
    mimeType: 'application/json',
  },
  {
    uri: RUNTIME_URI,
    name: 'runtime',
    title: 'Current learn session',
    description: 'Your active learn session, else the one that changed last.',
    mimeType: 'application/json',
  },
]

/** A page of the snapshots and the skills of all visible abilities. The cursor is the last address of a page. */
export async function listResources(
  call: Call,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const { abilities } = await call(listAvailability)
  const skills = abilities
    .filter(({ source }) => source !== 'native')
    .map(({ ability_id, title }) => ({
      uri: formatSkillUri(ability_id),
      name: ability_id,
      title,
      description: `SKILL.md: ${title}`,
      mimeType: 'text/markdown',
    }))
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
  const first = cursor === undefined ? SNAPSHOTS : []
  const rest = cursor === undefined ? skills : skills.filter(({ uri }) => uri > cursor)
  const page = rest.slice(0, PAGE_SIZE)
  const last = page.at(-1)
  return {
    resources: [...first, ...page],
    ...(rest.length > PAGE_SIZE && last !== undefined ? { nextCursor: last.uri } : {}),
  }
}

/** The template of the addresses of skills, for clients that know the id of an ability. */
export const SKILL_TEMPLATE = {
  uriTemplate: 'apprentice://abilities/{ability_id}/SKILL.md',
  name: 'skill',
  title: 'SKILL.md of an ability',
  description: 'What the ability does, how to run it, and its steps by hand.',
  mimeType: 'text/markdown',
}

/** The content of a resource. Undefined if no resource can have this address. */
export async function readResource(
  call: Call,
  uri: string,
): Promise<{ uri: string; mimeType: string; text: string } | undefined> {
  if (uri === AVAILABILITY_URI) return toJson(uri, await call(listAvailability))
  if (uri === RUNTIME_URI) return toJson(uri, await readRuntime(call))
  const abilityId = SKILL_URI.exec(uri)?.[1]
  if (abilityId === undefined) return undefined
  return { uri, mimeType: 'text/markdown', text: await call(getSkillText, { params: { abilityId } }) }
}

/** Null for a user without sessions, who may still wait for the first one. */
async function readRuntime(call: Call): Promise<LearningRuntimeSnapshot | null> {
  try {
    return await call(getCurrentRuntime)
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'LEARN_SESSION_NOT_FOUND') return null
    throw error
  }
}

const toJson = (uri: string, value: unknown) => ({ uri, mimeType: 'application/json', text: JSON.stringify(value) })

/** A committed event, as far as it says what changed. */
export interface ChangeEvent {
  readonly kind: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface McpChanges {
  /** The list of tools may have changed. */
  readonly tools: boolean
  /** The list of resources has changed. */
  readonly resources: boolean
  /** The addresses of resources whose content may have changed. */
  readonly updated: ReadonlySet<string>
}

const CHANGES_TOOLS =
  /^(ability\.(registered|changed|removed|route|quarantined|unquarantined|promoted)|capability\.(health|quarantined)|mcp\.(server|policy|health)\.changed)/
const CHANGES_AVAILABILITY = /^(ability\.(?!run\.|lane\.|refresh\.)|capability\.(health|quarantined))/
const CHANGES_LIST = /^ability\.(registered|removed|promoted)$/
const CHANGES_SKILL = /^(ability\.(registered|changed|removed)|learn\.install\.completed)$/

/** What a client has to be told of after these events. */
export function findChanges(events: readonly ChangeEvent[]): McpChanges {
  const updated = new Set<string>()
  for (const { kind, payload } of events) {
    if (CHANGES_AVAILABILITY.test(kind)) updated.add(AVAILABILITY_URI)
    if (kind.startsWith('learn.')) updated.add(RUNTIME_URI)
    const { ability_id } = payload
    if (CHANGES_SKILL.test(kind) && typeof ability_id === 'string') updated.add(formatSkillUri(ability_id))
  }
  return {
    tools: events.some(({ kind }) => CHANGES_TOOLS.test(kind)),
    resources: events.some(({ kind }) => CHANGES_LIST.test(kind)),
    updated,
  }
}
