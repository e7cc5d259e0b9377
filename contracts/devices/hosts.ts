import { z } from 'zod'
import { DateTime, requestBody, SchemaVersion, Serial, Uuid } from '../base/fields.ts'
import { route } from '../base/route.ts'

export const HostName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens, at most 40')

export const DeviceHost = z
  .object({
    host_id: Uuid,
    name: HostName.describe('The first part of the serials of its devices: `<name>::<serial>`'),
    connected: z.boolean(),
    version: z.string().max(80).optional().describe('The version of the connected program'),
    serials: z.array(Serial).describe('The devices that the connected host announced'),
    last_heard_at: DateTime.optional(),
    created_at: DateTime,
    revoked_at: DateTime.optional(),
    schema_version: SchemaVersion,
  })
  .meta({ id: 'DeviceHost' })
export type DeviceHost = z.infer<typeof DeviceHost>

const TAG = 'hosts'
/** The bytes of one part of a content, in base64. */
export const CONTENT_PART_CHARACTERS = 600_000
const MAX_PARTS = 60

export const listHosts = route({
  method: 'GET',
  url: '/api/hosts',
  tag: TAG,
  summary: 'List the device hosts',
  privilege: 'read',
  reply: z.object({
    enabled: z.boolean().describe('Whether the daemon was started with APPRENTICE_REDIS'),
    hosts: z.array(DeviceHost),
    schema_version: SchemaVersion,
  }),
})

export const createHost = route({
  method: 'POST',
  url: '/api/hosts',
  tag: TAG,
  summary: 'Register a device host; its token is returned only once',
  privilege: 'admin',
  body: requestBody({ name: HostName }),
  reply: z.object({ host: DeviceHost, secret: z.string(), schema_version: SchemaVersion }),
  status: 201,
  secret: true,
  fails: ['HOST_NAME_IN_USE'],
})

export const revokeHost = route({
  method: 'DELETE',
  url: '/api/hosts/:hostId',
  tag: TAG,
  summary: 'Revoke the token of a device host and end its connection; its running executions are interrupted',
  privilege: 'admin',
  params: z.object({ hostId: Uuid }),
  reply: z.object({ revoked: z.literal(true) }),
  fails: ['HOST_NOT_FOUND'],
})

export const connectHost = route({
  method: 'POST',
  url: '/api/hosts/connections',
  tag: TAG,
  summary: 'Connect a device host, which its token identifies; an earlier connection of the host ends',
  privilege: 'write',
  body: requestBody({ version: z.string().min(1).max(80) }),
  reply: z.object({
    host_id: Uuid,
    name: HostName,
    connection_id: Uuid,
    epoch: Uuid.describe('Identifies this start of the daemon'),
    heartbeat_ms: z.int(),
    lost_after_ms: z.int().describe('A host that is silent for longer is lost'),
    schema_version: SchemaVersion,
  }),
  status: 201,
  secret: true,
  fails: ['HOSTS_DISABLED'],
})

export const putHostContent = route({
  method: 'POST',
  url: '/api/hosts/contents',
  tag: TAG,
  summary: 'Send a part of a picture or a tree that a message of a device host refers to by its hash',
  privilege: 'write',
  body: requestBody({
    connection_id: Uuid,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    part: z.int().min(1).max(MAX_PARTS).describe('The number of the part, from 1'),
    parts: z.int().min(1).max(MAX_PARTS),
    content: z.string().max(CONTENT_PART_CHARACTERS).describe('The bytes of the part in base64'),
  }),
  reply: z.object({ received: z.int().describe('The parts of the content that have arrived') }),
  secret: true,
  fails: ['HOST_NOT_FOUND', 'HOSTS_DISABLED'],
})
