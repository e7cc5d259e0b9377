import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { packageRoot } from '../paths.ts'

/** The document that is checked in; a test proves it fresh, so nothing is generated at start. */
export const openApiFile = join(packageRoot, 'openapi', 'openapi.json')

/** The API reference, for people and for programs. It shows what exists, not what is stored: no token needed. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  const text = readFileSync(openApiFile, 'utf8')
  app.get('/openapi.json', (_request, reply) => reply.type('application/json').send(text))
  await app.register(async (scope) => {
    await scope.register(swagger, {
      mode: 'static',
      specification: { document: JSON.parse(text) as never },
    })
    await scope.register(swaggerUi, { routePrefix: '/docs', staticCSP: pageRules })
  })
}

/** Everything from here and nothing from elsewhere, but for the one style sheet the page's script writes itself. */
const pageRules = {
  'default-src': "'self'",
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'base-uri': "'none'",
  'object-src': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}
