import { readFile } from 'node:fs/promises';
import { GetObjectCommand, NoSuchKey, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { UserError } from '../../contract/errors.ts';
import type { ResultStore } from './result-store.ts';

/**
 * Credentials, region and endpoint are those of the AWS libraries: AWS_ACCESS_KEY_ID, AWS_PROFILE, roles of
 * containers, AWS_ENDPOINT_URL_S3 for other vendors.
 */
export function openS3Store(place: string, env: NodeJS.ProcessEnv): ResultStore {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(place) ?? [];
  if (bucket === '') throw new UserError(`${place} names no bucket.`, 'Use s3://BUCKET/PREFIX.');
  const client = new S3Client({
    // Most other vendors have no names for buckets in their host names.
    forcePathStyle: [env.AWS_ENDPOINT_URL_S3, env.AWS_ENDPOINT_URL].some(Boolean),
    followRegionRedirects: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const keyOf = (name: string) => [prefix.replace(/\/$/, ''), name].filter(Boolean).join('/');
  return {
    async put(name, content) {
      const body = typeof content === 'string' ? content : await readFile(content.file);
      await client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(name), Body: body }));
    },
    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(name) }));
        return Body ? Buffer.from(await Body.transformToByteArray()) : null;
      } catch (error) {
        if (error instanceof NoSuchKey) return null;
        throw error;
      }
    },
    close: () => client.destroy(),
  };
}
