import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../crash/random.ts'
import type { AttackedDaemon } from './attacked-daemon.ts'
import { readCode } from './figures.ts'
import { buildUpload } from './form-mutation.ts'

const [SMALLEST, LARGEST] = [1000, 60_000]
/** More documents than this would fill the disk by themselves. */
const MOST_KEPT = 8
const REFUSED_PAUSE_MS = 20
const TEMPORARY = new Set([503, 507])

interface Kept {
  readonly ref: string
  readonly sha256: string
}

/** Uploads and deletes documents, whose contents are files beside the database, and remembers what was acknowledged. */
export class DocumentWriter {
  readonly #daemon: AttackedDaemon
  readonly #token: string
  readonly #random: Random
  readonly #kept: Kept[] = []
  /** What a cut-off request may or may not have deleted. */
  readonly #unsure = new Set<string>()
  readonly faults: string[] = []
  uploaded = 0
  refused = 0

  constructor(daemon: AttackedDaemon, token: string, random: Random) {
    this.#daemon = daemon
    this.#token = token
    this.#random = random
  }

  /** Works until `isStopped`, or the connection is lost. */
  async work(isStopped: () => boolean): Promise<void> {
    try {
      while (!isStopped()) {
        if (this.#kept.length >= MOST_KEPT) await this.#deleteOne()
        else await this.#upload()
      }
    } catch {
      // The daemon was ended.
    }
  }

  /** Compares the documents of the daemon with what it acknowledged. */
  async findLost(): Promise<string[]> {
    const lost = this.faults.splice(0)
    for (const { ref, sha256 } of this.#kept) {
      const content = await fetch(`${this.#daemon.url}/api/documents/${ref}/content`, {
        headers: { authorization: `Bearer ${this.#token}` },
      })
      const found = content.ok ? hash(Buffer.from(await content.arrayBuffer())) : `status ${content.status}`
      if (found !== sha256 && !this.#unsure.has(ref)) lost.push(`document ${ref}: ${found} instead of ${sha256}`)
    }
    return lost
  }

  async #upload(): Promise<void> {
    const document = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(this.#random.int(SMALLEST, LARGEST))])
    const { body, type } = buildUpload({ metadata: { data_class: 'internal' }, document })
    const reply = await this.#daemon.call('POST', '/api/documents', body, {
      token: this.#token,
      type,
    })
    const { document: stored } = reply.body
    if (reply.status === 201 && stored !== undefined) {
      this.uploaded += 1
      this.#kept.push({ ref: stored.document_ref, sha256: hash(document) })
    } else await this.#refuse('an upload', reply)
  }

  async #deleteOne(): Promise<void> {
    const [oldest] = this.#kept
    if (oldest === undefined) return
    this.#unsure.add(oldest.ref)
    const reply = await this.#daemon.call('DELETE', `/api/documents/${oldest.ref}`, undefined, { token: this.#token })
    if (reply.status === 200 || reply.status === 404) this.#kept.shift()
    else {
      this.#unsure.delete(oldest.ref)
      await this.#refuse('a deletion', reply)
    }
  }

  async #refuse(what: string, { status, text }: { readonly status: number; readonly text: string }): Promise<void> {
    this.refused += 1
    const isTyped = TEMPORARY.has(status) && readCode(text) !== undefined
    if (!isTyped) this.faults.push(`${what} of a document was answered ${status}: ${text.slice(0, 200)}`)
    await sleep(REFUSED_PAUSE_MS)
  }
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
