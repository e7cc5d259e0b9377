import { expect, test } from 'vitest'
import type { z } from 'zod'
import { allRoutes } from '@apprentice/contracts/index.ts'

const mcpRoutes = allRoutes.filter(({ url }) => url.startsWith('/api/mcp/'))

test('every route of connectors that is specified exists, and no other', () => {
  expect(mcpRoutes.map(({ method, url }) => `${method} ${url.replace('/api/mcp', '')}`).toSorted()).toEqual(
    [
      'GET /servers',
      'POST /servers/register',
      'PATCH /servers/:serverId',
      'DELETE /servers/:serverId',
      'GET /servers/:serverId/health',
      'GET /servers/:serverId/auth/status',
      'POST /servers/:serverId/auth/start',
      'GET /servers/:serverId/auth/callback',
      'POST /servers/:serverId/auth/refresh',
      'POST /servers/:serverId/auth/revoke',
      'POST /servers/:serverId/smoke-test',
      'GET /auth-profiles',
      'POST /auth-profiles',
      'PATCH /auth-profiles/:authProfileId',
      'DELETE /auth-profiles/:authProfileId',
      'POST /policy/update',
      // Not in the specification: the pages show what is in force.
      'GET /policies',
      'GET /receipts',
      'GET /ask-first/pending',
      'POST /ask-first/:dispatchId/approve',
      'POST /ask-first/:dispatchId/deny',
      'POST /auth/challenge/respond',
    ].toSorted(),
  )
})

test('mcp_named_responses_consistent: routes that answer with the same record use one schema', () => {
  const findReply = (route: string): z.ZodType | undefined =>
    mcpRoutes.find(({ method, url }) => `${method} ${url.replace('/api/mcp', '')}` === route)?.reply
  const groups = [
    ['POST /servers/register', 'PATCH /servers/:serverId'],
    [
      'GET /servers/:serverId/auth/status',
      'GET /servers/:serverId/auth/callback',
      'POST /servers/:serverId/auth/refresh',
    ],
    ['POST /auth-profiles', 'PATCH /auth-profiles/:authProfileId'],
    ['POST /ask-first/:dispatchId/approve', 'POST /ask-first/:dispatchId/deny'],
  ]
  for (const [first = '', ...others] of groups) {
    expect(findReply(first)).toBeDefined()
    for (const route of others) expect(findReply(route), route).toBe(findReply(first))
  }
})
