import type { FastifyRequest } from 'fastify'

/** Whether a browser asks for a page, and not a program for a reply of the API. */
export const acceptsPage = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html')
