import { posix } from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { SkillEntry } from '@apprentice/contracts/skills/skill.ts'
import { getAppIndex, getPrefixIndex, getSkillIndex } from '@apprentice/contracts/skills/indexes.ts'
import { isSkillVisible } from '../../domain/abilities/visibility.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'
import { buildIndexFiles, formatRegistry, sha256 } from '../../knowledge/skill-format/indexes.ts'
import type { System } from '../../daemon/system.ts'

/** The generated indexes of a root as resources. Skills that the caller may not see are not in them. */
export function skillIndexRoutes(app: FastifyInstance, system: System): void {
  const on = mountContract(app)
  on(getSkillIndex)((request, reply) => sendIndex(system, request, { reply, name: request.params.indexFile }))
  on(getAppIndex)((request, reply) =>
    sendIndex(system, request, { reply, name: `by-app/${request.params.applicationId}.json` }),
  )
  on(getPrefixIndex)((request, reply) =>
    sendIndex(system, request, { reply, name: `by-prefix/${request.params.prefix}.json` }),
  )
}

type IndexRequest = RequestContext<unknown, { readonly root?: string | undefined }>

async function sendIndex(
  { skills, commands }: System,
  { caller, query, headers }: IndexRequest,
  { reply, name }: { readonly reply: FastifyReply; readonly name: string },
): Promise<unknown> {
  const { files, entries } = await skills.readIndexes(query.root)
  const visible = commands.read((reader) =>
    entries.filter(({ id, path }) => isSkillVisible(reader, [id, posix.basename(path)], caller.user_id)),
  )
  const path = `generated/${name}`
  const content = visible.length === entries.length ? files.get(path) : rebuild(files, visible).get(path)
  if (content === undefined) throw new Failure('NOT_FOUND', `There is no index ${name}. Write the indexes first.`)
  const tag = `"${sha256(content)}"`
  void reply.header('etag', tag).type(name.endsWith('.jsonl') ? 'application/x-ndjson' : 'application/json')
  return headers['if-none-match'] === tag ? reply.code(304).send() : content
}

/** The same indexes without the skills of others. */
function rebuild(files: ReadonlyMap<string, string>, visible: readonly SkillEntry[]): Map<string, string> {
  const manifest = files.get('generated/manifest.json')
  if (manifest === undefined) return new Map()
  const { generatedAt } = JSON.parse(manifest) as { generatedAt: string }
  const registry = formatRegistry(visible, generatedAt)
  return new Map(buildIndexFiles(visible, registry, generatedAt).map(({ path, content }) => [path, content]))
}
