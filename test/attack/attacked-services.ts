import { type AuthorizationServer, startAuthorizationServer } from '../connectors/authorization-server.ts'
import { startToolServer, type ToolServer } from '../connectors/tool-server.ts'
import type { Random } from '../crash/random.ts'
import { makePdf } from '../documents/make-pdf.ts'
import { openSite, sendPage, type Site } from '../scenes/page-site.ts'
import { REPORT, writeScene } from '../scenes/page-scene.ts'
import { zipScenario } from '../scenes/scenario-files.ts'
import { buildForm, FORM_TYPE } from '../skill-import/upload-form.ts'
import type { Targets } from './aimed-requests.ts'
import type { AttackedDaemon } from './attacked-daemon.ts'
import { buildUpload } from './form-mutation.ts'
import type { IdPool } from './id-pool.ts'

const SCENE = 'attack-report'
/** Long enough to cancel a run meanwhile. */
const COLLECT_MS = 1000
const LONG_NOTE = 'a line of a long note\n'.repeat(20_000)

type OfferedTargets = Omit<Targets, 'ability_id' | 'serial'>

interface Parts {
  readonly tools: ToolServer
  /** Accepts only tokens of the authorization server. */
  readonly protectedTools: ToolServer
  readonly authority: AuthorizationServer
  readonly site: Site
  readonly ends: readonly (() => void | Promise<void>)[]
}

/** What the attacked daemon talks to, on this machine: a server of tools that fails at times, and the site of a scene. */
export class AttackedServices {
  readonly #parts: Parts

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  static async open(): Promise<AttackedServices> {
    const ends: (() => void | Promise<void>)[] = []
    const whenOver = (end: () => void | Promise<void>) => ends.push(end)
    const [tools, protectedTools] = [await startToolServer(whenOver), await startToolServer(whenOver)]
    const authority = await startAuthorizationServer({ whenOver })
    authority.protect(protectedTools)
    const site = await openSite({ '/': sendPage('<p>a report</p>') })
    return new AttackedServices({ tools, protectedTools, authority, site, ends })
  }

  /** The settings of a daemon that talks to nothing else. */
  get settings(): object {
    const { url } = this.#parts.site
    const m365 = { graph_url: url, login_url: url }
    return { connectors: { m365 }, scenes: { samples: false } }
  }

  /** Registers the servers, uploads a document, and adds a scene, so that requests find them. */
  async offer(daemon: AttackedDaemon, pool: IdPool): Promise<OfferedTargets> {
    const { site, tools, protectedTools } = this.#parts
    writeScene(daemon.home, {
      id: SCENE,
      site,
      collect: `await new Promise((done) => setTimeout(done, ${COLLECT_MS})); return ${REPORT}`,
    })
    const send = async (path: string, body: object | Buffer, type?: string) => {
      const reply = await daemon.call('POST', path, body, { type })
      if (reply.status >= 300) throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
      pool.collect(reply.body)
      return reply.body
    }
    const register = async ({ url }: ToolServer, more: object = {}): Promise<string> => {
      const { server } = await send('/api/mcp/servers/register', {
        provider: 'custom_remote',
        display_name: 'Attacked tools',
        transport: 'remote_http',
        endpoint_url: url,
        supported_tools: [...tools.tools],
        ...more,
      })
      return server?.registry.server_id ?? ''
    }
    const profile = { provider: 'custom_remote', token_subject_kind: 'user', scopes: ['notes.read', 'offline_access'] }
    const { auth_profile_id = '' } = await send('/api/mcp/auth-profiles', profile)
    const protected_server_id = await register(protectedTools, { auth_profile_id })
    const open_server_id = await register(tools)
    await send(`/api/mcp/servers/${open_server_id}/smoke-test`, { server_id: open_server_id })
    const paper = await makePdf((pen) => pen.write('Attacked paper', 20, 20))
    const upload = buildUpload({ metadata: { data_class: 'internal' }, document: paper })
    const { document } = await send('/api/documents', upload.body, upload.type)
    const { temp_artifact } = await send(
      '/api/skills/import/uploads',
      buildForm(zipScenario('static-table')),
      FORM_TYPE,
    )
    const [document_ref = '', page_ref = ''] = [document?.document_ref, temp_artifact?.temp_artifact_ref]
    pool.collect({ scene_id: SCENE, instruction: `${SCENE}。。。`, tool_name: 'read_note' })
    pool.collect({ tool_name: 'write_note', endpoint_url: tools.url })
    const offered = { open_server_id, protected_server_id, document_ref, page_ref }
    for (const kept of [auth_profile_id, ...Object.values(offered)]) pool.keep(kept)
    return { scene_id: SCENE, ...offered }
  }

  /** Lets the servers answer the next requests otherwise. */
  shake(random: Random): void {
    const { tools, authority } = this.#parts
    authority.refuses = random.chance(0.2)
    authority.tokenStatus = random.chance(0.8) ? undefined : random.pick([400, 429, 500, 503])
    tools.status = random.chance(0.7) ? undefined : random.pick([200, 302, 401, 404, 429, 500, 503])
    tools.headers = random.pick([{}, { 'retry-after': '1' }, { location: 'http://127.0.0.1:1/' }])
    tools.is_error = random.chance(0.2)
    tools.note = random.pick(['a note', '', '\u0000\ud800', LONG_NOTE])
    tools.progress = random.chance(0.2) ? { progress: 1, total: 0, message: 'x'.repeat(2000) } : undefined
  }

  async close(): Promise<void> {
    for (const end of this.#parts.ends) await end()
    this.#parts.site.close()
  }
}
