import { startToolServer, type ToolServer } from '../connectors/tool-server.ts'
import type { Random } from '../crash/random.ts'
import { makePdf } from '../documents/make-pdf.ts'
import { openSite, sendPage, type Site } from '../scenes/page-site.ts'
import { REPORT, writeScene } from '../scenes/page-scene.ts'
import type { AttackedDaemon } from './attacked-daemon.ts'
import { buildUpload } from './form-mutation.ts'
import type { IdPool } from './id-pool.ts'

const LONG_NOTE = 'a line of a long note\n'.repeat(20_000)

/** What the attacked daemon talks to, on this machine: a server of tools that fails at times, and the site of a scene. */
export class AttackedServices {
  readonly #tools: ToolServer
  readonly #site: Site
  readonly #ends: readonly (() => void | Promise<void>)[]

  private constructor(tools: ToolServer, site: Site, ends: readonly (() => void | Promise<void>)[]) {
    this.#tools = tools
    this.#site = site
    this.#ends = ends
  }

  static async open(): Promise<AttackedServices> {
    const ends: (() => void | Promise<void>)[] = []
    const tools = await startToolServer((end) => ends.push(end))
    return new AttackedServices(tools, await openSite({ '/': sendPage('<p>a report</p>') }), ends)
  }

  /** The settings of a daemon that talks to nothing else. */
  get settings(): object {
    const m365 = { graph_url: this.#site.url, login_url: this.#site.url }
    return { connectors: { m365 }, scenes: { samples: false } }
  }

  /** Registers the server, uploads a document, and adds a scene, so that requests find them. */
  async offer(daemon: AttackedDaemon, pool: IdPool): Promise<void> {
    writeScene(daemon.home, { id: 'attack-report', site: this.#site, collect: `return ${REPORT}` })
    const send = async (path: string, body: object | Buffer, type?: string) => {
      const reply = await daemon.call('POST', path, body, { type })
      if (reply.status >= 300) throw new Error(`${path} answered ${reply.status}: ${reply.text}`)
      pool.collect(reply.body)
      return reply.body
    }
    let server_id = ''
    const profile = { provider: 'custom_remote', token_subject_kind: 'user' }
    const { auth_profile_id } = await send('/api/mcp/auth-profiles', profile)
    // The first server needs a sign-in, which nobody makes.
    for (const more of [{ auth_profile_id }, {}]) {
      const { server } = await send('/api/mcp/servers/register', {
        provider: 'custom_remote',
        display_name: 'Attacked tools',
        transport: 'remote_http',
        endpoint_url: this.#tools.url,
        supported_tools: [...this.#tools.tools],
        ...more,
      })
      server_id = server?.registry.server_id ?? ''
    }
    await send(`/api/mcp/servers/${server_id}/smoke-test`, { server_id })
    const paper = await makePdf((pen) => pen.write('Attacked paper', 20, 20))
    const upload = buildUpload({ metadata: { data_class: 'internal' }, document: paper })
    await send('/api/documents', upload.body, upload.type)
    pool.collect({ scene_id: 'attack-report', instruction: 'attack-report。。。', tool_name: 'read_note' })
    pool.collect({ tool_name: 'write_note', endpoint_url: this.#tools.url })
  }

  /** Lets the server of tools answer the next requests otherwise. */
  shake(random: Random): void {
    const tools = this.#tools
    tools.status = random.chance(0.7) ? undefined : random.pick([200, 302, 401, 404, 429, 500, 503])
    tools.headers = random.pick([{}, { 'retry-after': '1' }, { location: 'http://127.0.0.1:1/' }])
    tools.is_error = random.chance(0.2)
    tools.note = random.pick(['a note', '', '\u0000\ud800', LONG_NOTE])
    tools.progress = random.chance(0.2) ? { progress: 1, total: 0, message: 'x'.repeat(2000) } : undefined
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end()
    this.#site.close()
  }
}
