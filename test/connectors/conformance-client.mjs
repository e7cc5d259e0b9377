// A client of the daemon that the conformance suite starts: it registers the server of the suite, signs in and calls its tools.
import { argv, env } from 'node:process'

const [, , daemon, server] = argv
const scenario = env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const isService = scenario.startsWith('auth/client-credentials-')
const MAX_SIGN_INS = 2

async function send(method, path, body) {
  const headers = { authorization: `Bearer ${env.APPRENTICE_TOKEN}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const content = body === undefined ? {} : { body: JSON.stringify(body) }
  const reply = await fetch(daemon + path, { method, headers, ...content })
  const value = await reply.json()
  return { status: reply.status, value }
}

async function ask(method, path, body) {
  const { status, value } = await send(method, path, body)
  if (status >= 400) throw new Error(`${path}: ${JSON.stringify(value)}`)
  return value
}

async function createProfile() {
  const { client_id, client_secret = context.private_key_pem } = context
  const secret = `conformance.${process.pid}`
  if (client_secret !== undefined) await ask('PUT', `/api/vault/secrets/${secret}`, { value: client_secret })
  const { auth_profile_id } = await ask('POST', '/api/mcp/auth-profiles', {
    provider: 'custom_remote',
    auth_mode: isService ? 'oauth2_client_credentials' : 'oauth2_delegated',
    refresh_policy: 'auto_if_refresh_token',
    ...(client_id === undefined ? {} : { client_id }),
    ...(client_secret === undefined ? {} : { secret_ref: `secret:${secret}` }),
  })
  return { auth_profile_id }
}

async function signIn(server_id) {
  const { auth_url } = await ask('POST', `/api/mcp/servers/${server_id}/auth/start`, { server_id })
  const page = await fetch(auth_url, { redirect: 'manual' })
  const location = page.headers.get('location')
  const { search } = new URL(location)
  await ask('GET', `/api/mcp/servers/${server_id}/auth/callback${search}`)
}

const profile = scenario.startsWith('auth/') ? await createProfile() : {}
const {
  server: {
    registry: { server_id },
  },
} = await ask('POST', '/api/mcp/servers/register', {
  provider: 'custom_remote',
  display_name: scenario,
  transport: 'remote_http',
  endpoint_url: server,
  ...profile,
})
if (isService) await ask('POST', `/api/mcp/servers/${server_id}/auth/refresh`, { server_id })
else if (profile.auth_profile_id !== undefined) await signIn(server_id)
const test = await ask('POST', `/api/mcp/servers/${server_id}/smoke-test`, { server_id })
await ask('PATCH', `/api/mcp/servers/${server_id}`, { supported_tools: test.discovered_tools })
for (const tool_name of test.discovered_tools) {
  const target = { target_kind: 'tool', server_id, tool_name }
  await ask('POST', '/api/mcp/policy/update', { target, decision: { mode: 'enabled' } })
  for (let attempt = 0; attempt <= MAX_SIGN_INS; attempt += 1) {
    const { value } = await send('POST', '/api/capabilities/connectors/call', {
      server_id,
      tool_name,
      arguments: { a: 5, b: 3 },
      max_duration_ms: 20000,
      on_question: 'use_defaults',
    })
    if (value.error?.code !== 'MCP_AUTH_CHALLENGE_REQUIRED') break
    if (attempt < MAX_SIGN_INS) await signIn(server_id)
  }
}
