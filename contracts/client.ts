import type { z } from 'zod'
import type { Contract } from './base/route.ts'
import { McpChannel } from './mcp-channel.ts'
import { type CallOptions, buildUrl, type ClientOptions, readFailure, sendRequest } from './request.ts'
import { followStream, type StreamedEvent, type StreamOptions } from './stream.ts'
import { sendForm, type UploadOptions } from './upload.ts'

export { ApiFailure, type ClientOptions, fillPath, formatQuery } from './request.ts'
export type { StreamedEvent } from './stream.ts'

/** Calls a contract whose reply is JSON or text. */
export type Call = <P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: Contract<P, Q, B, R>,
  options?: CallOptions<P, Q, B>,
) => Promise<z.output<R>>

/** A downloaded file. */
export interface Download {
  readonly bytes: Uint8Array
  readonly media: string
  /** The name that the daemon suggests. */
  readonly name?: string
}

type Place<P extends z.ZodType, Q extends z.ZodType> = Pick<CallOptions<P, Q, z.ZodType>, 'params' | 'query'>

/** The typed client. Call it with a contract; contracts with streams, files and forms have methods of their own. */
export interface Client extends Call {
  /** Follows an event stream. A lost connection is opened again after the last event. */
  stream<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
    contract: Contract<P, Q, z.ZodType, R>,
    options?: Place<P, Q> & Omit<StreamOptions, 'params' | 'query' | 'body' | 'form'>,
  ): AsyncGenerator<StreamedEvent<z.output<R>>, void, undefined>
  /** Downloads a reply that is a file, such as a bundle or a screenshot. */
  download<P extends z.ZodType, Q extends z.ZodType>(
    contract: Contract<P, Q>,
    options?: CallOptions<P, Q, z.ZodType>,
  ): Promise<Download>
  /** Sends a form with files. */
  upload<P extends z.ZodType, Q extends z.ZodType, R extends z.ZodType>(
    contract: Contract<P, Q, z.ZodType, R>,
    options: Place<P, Q> & Omit<UploadOptions, 'params' | 'query' | 'body'>,
  ): Promise<z.output<R>>
  /** The address of a contract, for images and links of a page. */
  address<P extends z.ZodType, Q extends z.ZodType>(contract: Contract<P, Q>, options?: Place<P, Q>): string
  /** The MCP endpoint, for programs that forward messages of JSON-RPC. */
  openMcp(signal?: AbortSignal): McpChannel
}

export function createClient(client: ClientOptions): Client {
  const call: Call = async (contract, options = {}) => {
    const response = await sendRequest(client, contract, options, 'application/json, text/*')
    if (!response.ok) throw await readFailure(response)
    return contract.reply.parse(contract.media === undefined ? await response.json() : await response.text())
  }
  const methods: Omit<Client, keyof Call> = {
    stream: (contract, options = {}) => followStream(client, contract, options),
    upload: async (contract, options) => contract.reply.parse(await sendForm(client, contract, options)),
    download: async (contract, options = {}) => {
      const response = await sendRequest(client, contract, options, '*/*')
      if (!response.ok) throw await readFailure(response)
      const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
      return {
        bytes: new Uint8Array(await response.arrayBuffer()),
        media: response.headers.get('content-type') ?? 'application/octet-stream',
        ...(name === undefined ? {} : { name }),
      }
    },
    openMcp: (signal) => new McpChannel(client, signal),
    address: (contract, options = {}) => buildUrl(client.baseUrl, contract, options),
  }
  return Object.assign(call, methods)
}
