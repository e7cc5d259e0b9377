import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parse } from 'yaml'

/** A skill as an agent lists it. */
export interface AgentSkill {
  readonly name: string
  readonly description: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly openclaw: OpenClawBlock
  readonly body: string
}

interface OpenClawBlock {
  readonly emoji?: string
  readonly primaryEnv?: string
  readonly requires?: Readonly<Partial<Record<'bins' | 'anyBins' | 'env' | 'config', readonly string[]>>>
}

/** OpenClaw skips larger files. */
const MAX_FILE_BYTES = 256_000
const MAX_LINES = 500

/**
 * Reads a skill with the rules of agents: the limits of the Agent Skills format, and what OpenClaw does with the header.
 * It reads the header as YAML and line by line; a value that looks like JSON is taken from the line. Throws if an agent
 * would skip the skill or read less than was written.
 */
export function readAgentSkill(file: string): AgentSkill {
  const text = readFileSync(file, 'utf8')
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) throw new Error('The file is too large.')
  if (!text.startsWith('---\n')) throw new Error('The file has no header.')
  const end = text.indexOf('\n---', 3)
  const header = text.slice(4, end)
  const body = text.slice(text.indexOf('\n', end + 1) + 1)
  if (body.split('\n').length > MAX_LINES) throw new Error('The body is too long.')
  const fields = parse(header, { schema: 'core' }) as Record<string, unknown>
  checkFormat(fields, basename(dirname(file)))
  return {
    name: String(fields['name']),
    description: String(fields['description']),
    fields,
    openclaw: readOpenClawBlock(header, fields),
    body,
  }
}

/** The limits of the Agent Skills format. */
function checkFormat(fields: Readonly<Record<string, unknown>>, folder: string): void {
  const { name, description, compatibility, metadata, 'allowed-tools': tools } = fields
  check('name', typeof name === 'string' && name.length <= 64 && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
  check('folder', name === folder)
  check('description', typeof description === 'string' && description.trim() !== '' && description.length <= 1024)
  check('compatibility', compatibility === undefined || isText(compatibility, 500))
  check('metadata', metadata === undefined || (typeof metadata === 'object' && !Array.isArray(metadata)))
  const isToolList = Array.isArray(tools) && tools.every((tool) => typeof tool === 'string')
  check('allowed-tools', tools === undefined || typeof tools === 'string' || isToolList)
}

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= max

function check(field: string, holds: boolean): void {
  if (!holds) throw new Error(`The field ${field} breaks the format.`)
}

function readOpenClawBlock(header: string, fields: Readonly<Record<string, unknown>>): OpenClawBlock {
  const line = /^metadata:[ \t]*(\{.*)$/m.exec(header)?.[1]
  const metadata = (line === undefined ? fields['metadata'] : JSON.parse(line)) as
    | { readonly openclaw?: OpenClawBlock }
    | undefined
  return metadata?.openclaw ?? {}
}

/** Whether OpenClaw offers the skill on a machine with these programs and variables. */
export function isEligible({ openclaw }: AgentSkill, programs: readonly string[], variables: readonly string[] = []) {
  const { bins = [], anyBins = [], env = [] } = openclaw.requires ?? {}
  return (
    bins.every((bin) => programs.includes(bin)) &&
    (anyBins.length === 0 || anyBins.some((bin) => programs.includes(bin))) &&
    env.every((name) => variables.includes(name))
  )
}
